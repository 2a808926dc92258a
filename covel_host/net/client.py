"""Sending a request: limits, redirects that are checked anew, retries that repeat nothing."""

import asyncio
import ssl
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from covel_host.net.addresses import Resolver, SystemResolver
from covel_host.net.bodies import MAX_BODY_BYTES, read_body
from covel_host.net.errors import HttpFailed
from covel_host.net.headers import Headers, after_redirect, response_headers
from covel_host.net.urls import Address, Origin, redirected
from plugin_sdk.records import HttpResponse

if TYPE_CHECKING:
    from covel_host.net.connecting import Connections

MAX_REDIRECTS: Final = 5
DEFAULT_LIMIT_MS: Final = 30_000
MAX_LIMIT_MS: Final = 120_000
METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")

_USER_AGENT: Final = ("user-agent", "covel-host")
_ACCEPTED: Final = ("accept-encoding", "gzip, deflate")
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_WORTH_ANOTHER_TRY: Final = frozenset({429, 502, 503, 504})
_REPEATABLE: Final = frozenset({"GET", "HEAD"})
_WITHOUT_BODY: Final = frozenset({204, 304})

Waits: TypeAlias = tuple[float, ...]
RETRY_WAITS_S: Final[Waits] = (0.25, 1.0)


class Policy(Protocol):
    """What may be reached; see `policy`."""

    def problem(self, origin: Origin, method: str | None) -> str | None: ...

    def may_be_loopback(self, origin: Origin) -> bool: ...


class Http(Protocol):
    """What answers requests: the client, or a recording of one."""

    async def fetch(self, request: "HttpRequest", policy: Policy) -> HttpResponse: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One request; `headers` are checked ones, by lower-case name."""

    address: Address
    method: str
    headers: Headers
    body: bytes
    limit_ms: int = DEFAULT_LIMIT_MS


class HttpClient:
    """Sends requests for all packages; made on the event loop that it is used on.

    `retry_waits_s` are the pauses before another try of a request that can be repeated.
    """

    def __init__(
        self,
        *,
        resolver: Resolver | None = None,
        tls: ssl.SSLContext | None = None,
        retry_waits_s: Waits = RETRY_WAITS_S,
    ) -> None:
        self._resolver = SystemResolver() if resolver is None else resolver
        self._tls = tls
        self._waits = retry_waits_s
        self._connections: Connections | None = None

    async def close(self) -> None:
        """Close what connections there are."""
        if self._connections is not None:
            await self._connections.close()

    async def fetch(self, request: HttpRequest, policy: Policy) -> HttpResponse:
        """The complete answer, redirects followed; its status may be any.

        Raises:
            HttpFailed: `refused`: the policy or a private address stands against it, here or after
                a redirect. `timeout`. `unavailable`: no complete answer within the limits.
        """
        check(policy, request.address.origin, request.method)
        try:
            async with asyncio.timeout(request.limit_ms / 1000):
                return await self._with_retries(request, policy)
        except TimeoutError:
            host = request.address.origin.host
            raise HttpFailed(
                f"{host!r} did not answer within {request.limit_ms} ms.", code="timeout"
            ) from None

    async def _with_retries(self, request: HttpRequest, policy: Policy) -> HttpResponse:
        for wait_s in self._waits:
            try:
                response = await self._redirected(request, policy)
            except HttpFailed as error:
                if not error.may_retry:
                    raise
            else:
                is_repeatable = request.method in _REPEATABLE
                if response.status not in _WORTH_ANOTHER_TRY or not is_repeatable:
                    return response
            await asyncio.sleep(wait_s)
        return await self._redirected(request, policy)

    async def _redirected(self, request: HttpRequest, policy: Policy) -> HttpResponse:
        is_repeatable = request.method in _REPEATABLE
        for hop in range(MAX_REDIRECTS + 1):
            try:
                response = await self._sent(request, policy)
            except HttpFailed as error:
                # What was answered with a redirect has been done; it must not be done again.
                error.may_retry = error.may_retry and (hop == 0 or is_repeatable)
                raise
            location = response.headers.get("location")
            if response.status not in _REDIRECTS or location is None:
                return response
            request = _next(request, response.status, location)
            check(policy, request.address.origin, request.method)
        raise HttpFailed(
            f"{request.address.origin.host!r} redirects more than {MAX_REDIRECTS} times.",
            code="unavailable",
        )

    async def _sent(self, request: HttpRequest, policy: Policy) -> HttpResponse:
        if self._connections is None:
            # Not before something is sent: the library takes long to load.
            from covel_host.net.connecting import Connections

            self._connections = Connections(self._resolver, tls=self._tls)
        origin = request.address.origin
        async with self._connections.answer(
            request.method,
            request.address,
            headers=_sent_headers(request),
            body=request.body,
            may_be_loopback=policy.may_be_loopback(origin),
            may_repeat=request.method in _REPEATABLE,
        ) as response:
            headers = response_headers(response.headers)
            body = b""
            if request.method != "HEAD" and response.status not in _WITHOUT_BODY:
                encoding = headers.get("content-encoding", "")
                body = await read_body(response.aiter_stream(), encoding, host=origin.host)
        return HttpResponse(status=response.status, headers=headers, body=body)


def check(policy: Policy, origin: Origin, method: str | None) -> None:
    """Refuse what the policy does not allow.

    Raises:
        HttpFailed: `refused`.
    """
    problem = policy.problem(origin, method)
    if problem is not None:
        raise HttpFailed(
            problem,
            code="refused",
            hint="Name the origin and its methods under 'permissions.http' of the runtime.",
        )


def checked_body(body: object) -> bytes:
    """The body of a request.

    Raises:
        HttpFailed: `invalid-input`: not bytes, or too many.
    """
    if body is None:
        return b""
    if not isinstance(body, bytes):
        raise HttpFailed(f"A body is bytes, not a {type(body).__name__!r}.", code="invalid-input")
    if len(body) > MAX_BODY_BYTES:
        raise HttpFailed(
            f"The body has {len(body):,} bytes; at most {MAX_BODY_BYTES:,} are sent.",
            code="invalid-input",
        )
    return body


def _next(request: HttpRequest, status: int, location: str) -> HttpRequest:
    address = redirected(request.address, location)
    is_dropped = status == 303 or (status in (301, 302) and request.method == "POST")
    method = "GET" if is_dropped and request.method != "HEAD" else request.method
    headers = after_redirect(
        request.headers,
        same_origin=address.origin == request.address.origin,
        keeps_body=not is_dropped,
    )
    body = b"" if is_dropped else request.body
    return replace(request, address=address, method=method, headers=headers, body=body)


def _sent_headers(request: HttpRequest) -> Headers:
    origin = request.address.origin
    named = {name for name, _ in request.headers}
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    own: Headers = [("host", host if origin.is_default_port else f"{host}:{origin.port}")]
    own.append(_ACCEPTED)
    if "user-agent" not in named:
        own.append(_USER_AGENT)
    if request.body or request.method in ("POST", "PUT", "PATCH"):
        own.append(("content-length", str(len(request.body))))
    return own + request.headers
