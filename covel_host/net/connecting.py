"""Connections that go to the very address that was checked."""

import ssl
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final

import httpcore2

from covel_host.net.addresses import Resolver, checked_addresses
from covel_host.net.errors import HttpFailed
from covel_host.net.headers import Headers
from covel_host.net.urls import Address

CONNECT_LIMIT_S: Final = 10.0


class CheckedBackend(httpcore2.AsyncNetworkBackend):
    """Looks a name up, checks every answer, and connects to one of them."""

    def __init__(self, resolver: Resolver, *, may_be_loopback: bool) -> None:
        self._resolver = resolver
        self._may_be_loopback = may_be_loopback
        self._sockets = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        addresses = await checked_addresses(
            self._resolver, host, port, may_be_loopback=self._may_be_loopback
        )
        for address in addresses[:-1]:
            try:
                return await self._sockets.connect_tcp(address, port, timeout, local_address)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return await self._sockets.connect_tcp(addresses[-1], port, timeout, local_address)

    async def sleep(self, seconds: float) -> None:
        await self._sockets.sleep(seconds)


class Connections:
    """Pools that know no proxy and nothing of the environment.

    Requests that may reach this machine have one of their own: a pool hands a connection that was
    checked for one request to any other.
    """

    def __init__(self, resolver: Resolver, *, tls: ssl.SSLContext | None = None) -> None:
        context = ssl.create_default_context() if tls is None else tls
        self._public = _pool(CheckedBackend(resolver, may_be_loopback=False), context)
        self._loopback = _pool(CheckedBackend(resolver, may_be_loopback=True), context)

    async def close(self) -> None:
        """Close them all."""
        await self._public.aclose()
        await self._loopback.aclose()

    @asynccontextmanager
    async def answer(
        self,
        method: str,
        address: Address,
        *,
        headers: Headers,
        body: bytes,
        may_be_loopback: bool,
        may_repeat: bool,
    ) -> AsyncIterator[httpcore2.Response]:
        """The answer, its body still to be read; what the library raises is told as our own.

        Raises:
            HttpFailed: there is none, or it broke while it was read.
        """
        pool = self._loopback if may_be_loopback else self._public
        with _failures_of(address.origin.host, may_repeat=may_repeat):
            async with pool.stream(
                method,
                address.text,
                headers=headers,
                content=body or None,
                extensions={"timeout": {"connect": CONNECT_LIMIT_S}},
            ) as response:
                yield response


def _pool(backend: CheckedBackend, context: ssl.SSLContext) -> httpcore2.AsyncConnectionPool:
    return httpcore2.AsyncConnectionPool(
        ssl_context=context,
        max_connections=64,
        max_keepalive_connections=16,
        keepalive_expiry=15.0,
        network_backend=backend,
    )


@contextmanager
def _failures_of(host: str, *, may_repeat: bool) -> Iterator[None]:
    """The library's texts may hold what is not to be told, so none of them is kept."""
    try:
        yield
    except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
        raise HttpFailed(
            f"No connection to {host!r} was made.", code="unavailable", may_retry=True
        ) from None
    except httpcore2.TimeoutException:
        raise HttpFailed(f"{host!r} did not answer in time.", code="timeout") from None
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.UnsupportedProtocol):
        raise HttpFailed(
            f"The connection to {host!r} broke before the answer was complete.",
            code="unavailable",
            may_retry=may_repeat,
        ) from None
