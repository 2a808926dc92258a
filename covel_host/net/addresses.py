"""Which addresses of the network package code never reaches, and looking names up."""

import ipaddress
import socket
from collections.abc import Sequence
from typing import Final, Protocol, TypeAlias

from covel_host.base.daemon_threads import run_in_daemon_thread
from covel_host.net.errors import HttpFailed

IpAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_LOCAL_NAT64: Final = ipaddress.ip_network("64:ff9b:1::/48")
"""Each network lays its own IPv4 addresses into these bits, at any place (RFC 8215)."""


class Resolver(Protocol):
    """Looks host names up."""

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """The addresses of `host`, in the order in which to try them.

        Raises:
            OSError: there are none.
        """
        ...


class SystemResolver:
    """What the operating system answers."""

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        found = await run_in_daemon_thread(
            lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM),
            name="covel name look-up",
        )
        return list(dict.fromkeys(str(entry[4][0]) for entry in found))


async def checked_addresses(
    resolver: Resolver, host: str, port: int, *, may_be_loopback: bool
) -> list[str]:
    """The addresses to connect to; none of them is private.

    One private address among several refuses them all: such an answer is made to be asked again.

    Raises:
        HttpFailed: `refused`, or `unavailable` when there is no address.
    """
    try:
        found = [str(ipaddress.ip_address(host))]
    except ValueError:
        found = await _looked_up(resolver, host, port)
    for text in found:
        address = ipaddress.ip_address(text)
        if may_be_loopback and address.is_loopback:
            continue
        if not is_public(address):
            raise HttpFailed(
                f"{host!r} is an address of a private network or of this machine.",
                code="refused",
                hint="Package code reaches public addresses only. An origin on this machine has to "
                "be declared as such, with 'localhost' or its address.",
            )
    return found


def is_public(address: IpAddress) -> bool:
    """Whether the address is one of the public internet, however it is written."""
    inner = _embedded(address)
    if inner is not None:
        return is_public(inner)
    return (
        address.is_global
        and not (address.is_multicast or address.is_reserved or address.is_unspecified)
        and address not in _LOCAL_NAT64
    )


def _embedded(address: IpAddress) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 one stands for, by any way of carrying one."""
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if address in _NAT64 or int(address) >> 32 == 0:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return None


async def _looked_up(resolver: Resolver, host: str, port: int) -> list[str]:
    try:
        found = [*await resolver.resolve(host, port)]
    except (OSError, UnicodeError):
        found = []
    if not found:
        raise HttpFailed(f"The host {host!r} was not found.", code="unavailable", may_retry=True)
    return found
