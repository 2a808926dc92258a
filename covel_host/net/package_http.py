"""`ctx.http` and `covel.http`: the client as package code sees it (spec/manifest.md 9.2)."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final, Protocol

from covel_host.base.clock import Clock
from covel_host.net.client import (
    DEFAULT_LIMIT_MS,
    MAX_LIMIT_MS,
    METHODS,
    Http,
    HttpRequest,
    Policy,
    check,
    checked_body,
)
from covel_host.net.errors import HttpFailed
from covel_host.net.headers import checked_headers
from covel_host.net.urls import read_url
from plugin_sdk.errors import ToolError
from plugin_sdk.records import HttpResponse, UrlCheck

_ABSENT: Final = "This host makes no requests for package code."


class Tell(Protocol):
    """Takes the events of requests, such as the writer of a run's trace."""

    def add(self, type: str, **data: object) -> object: ...


class Use(Protocol):
    """Runs work on the event loop of the host, as long as what the capability hangs on lives."""

    async def __call__(self, begin: Callable[[], Coroutine[Any, Any, Any]]) -> Any: ...


class PackageHttp:
    """Requests of one package's code, within its policy.

    What is told of a request is its host and method, then status or error, and the time it took.
    """

    def __init__(
        self,
        client: Http | None,
        policy: Policy,
        *,
        use: Use,
        clock: Clock,
        tell: Tell | None = None,
    ) -> None:
        self._client = client
        self._policy = policy
        self._use = use
        self._clock = clock
        self._tell = tell

    def validate_base_url(self, url: str) -> UrlCheck:
        try:
            check(self._policy, read_url(url).origin, None)
        except HttpFailed as error:
            return UrlCheck(ok=False, reason=error.message)
        return UrlCheck(ok=True)

    async def fetch_with_retry(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout_ms: int | None = None,
    ) -> HttpResponse:
        client = self._client
        if client is None:
            raise ToolError("unavailable", _ABSENT)
        try:
            request = HttpRequest(
                address=read_url(url),
                method=_method(method),
                headers=checked_headers(headers),
                body=checked_body(body),
                limit_ms=_limit(timeout_ms),
            )
            answer: HttpResponse = await self._use(lambda: self._told(client, request))
        except HttpFailed as error:
            raise ToolError(error.code, error.message, hint=error.hint) from None
        return answer

    async def _told(self, client: Http, request: HttpRequest) -> HttpResponse:
        started = self._clock.monotonic()
        facts = {"host": request.address.origin.host, "method": request.method}
        self._add("utils.fetch.calling", facts)
        try:
            response = await client.fetch(request, self._policy)
        except BaseException as error:
            code = error.code if isinstance(error, HttpFailed) else "cancelled"
            self._add("utils.fetch.failed", {**facts, "code": code}, started)
            raise
        self._add("utils.fetch.responded", {**facts, "status": response.status}, started)
        return response

    def _add(self, event: str, facts: Mapping[str, object], started: float | None = None) -> None:
        if self._tell is None:
            return
        took = {}
        if started is not None:
            took["durationMs"] = round((self._clock.monotonic() - started) * 1000)
        self._tell.add(event, **facts, **took)


def _method(method: str) -> str:
    if not isinstance(method, str) or method.upper() not in METHODS:
        raise HttpFailed(
            f"The method is {str(method)[:32]!r}; it is one of {', '.join(METHODS)}.",
            code="invalid-input",
        )
    return method.upper()


def _limit(timeout_ms: int | None) -> int:
    if timeout_ms is None:
        return DEFAULT_LIMIT_MS
    is_number = isinstance(timeout_ms, int) and not isinstance(timeout_ms, bool)
    if not is_number or not 1 <= timeout_ms <= MAX_LIMIT_MS:
        raise HttpFailed(
            f"timeout_ms is {timeout_ms!r}; it is from 1 to {MAX_LIMIT_MS:,}.",
            code="invalid-input",
        )
    return timeout_ms
