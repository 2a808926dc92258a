"""Requests of package code written down, and answered from what was written down."""

import asyncio
import base64
from typing import Any, Protocol

from covel_host.net.client import Http, HttpRequest, Policy, check
from covel_host.net.errors import HttpFailed
from plugin_sdk.records import HttpResponse
from plugin_sdk.values import JsonObject, JsonValue


class RecordedRequests(Protocol):
    """The requests of one run, each to be taken once; as `models.replaying.RecordedCalls`."""

    def take(self, request: JsonValue) -> Any: ...

    def cut_off(self) -> None: ...


class RecordingHttp:
    """Passes requests on to `http`; `requests` gets one object for each, in the order of sending.

    Those that the policy refuses are sent to nobody and kept nowhere.
    """

    def __init__(self, http: Http, requests: list[JsonObject]) -> None:
        self._http = http
        self._requests = requests

    async def fetch(self, request: HttpRequest, policy: Policy) -> HttpResponse:
        """The answer; see `HttpClient.fetch`."""
        check(policy, request.address.origin, request.method)
        kept: JsonObject = {"request": _request_json(request)}
        self._requests.append(kept)
        try:
            response = await self._http.fetch(request, policy)
        except HttpFailed as error:
            kept["error"] = {"message": error.message, "code": error.code, "hint": error.hint}
            raise
        kept["response"] = {
            "status": response.status,
            "headers": dict(response.headers),
            "body": _body_json(response.body),
        }
        return response

    async def close(self) -> None:
        """What it passes requests on to is closed by its owner."""


class ReplayingHttp:
    """Answers with what is recorded in `requests`; nothing is ever sent."""

    def __init__(self, requests: RecordedRequests) -> None:
        self._requests = requests

    async def fetch(self, request: HttpRequest, policy: Policy) -> HttpResponse:
        """The recorded answer, if the policy of now lets the request be sent.

        Raises:
            HttpFailed: as the policy says, as recorded, or `unavailable` when nothing is.
        """
        check(policy, request.address.origin, request.method)
        kept = self._requests.take(_request_json(request))
        if kept is None:
            raise HttpFailed(
                f"No answer of {request.address.origin.host!r} is left in the recording; a replay "
                "sends no requests.",
                code="unavailable",
            )
        if "error" in kept:
            error = kept["error"]
            raise HttpFailed(error["message"], code=error["code"], hint=error["hint"])
        if "response" not in kept:
            self._requests.cut_off()
            await asyncio.get_running_loop().create_future()
        response = kept["response"]
        return HttpResponse(
            status=response["status"],
            headers=dict(response["headers"]),
            body=_body_of(response["body"]),
        )

    async def close(self) -> None:
        """Nothing is held."""


def _request_json(request: HttpRequest) -> JsonObject:
    return {
        "method": request.method,
        "url": request.address.text,
        "headers": dict(request.headers),
        "body": _body_json(request.body),
    }


def _body_json(body: bytes) -> JsonObject:
    try:
        return {"text": body.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(body).decode("ascii")}


def _body_of(told: Any) -> bytes:
    if "text" in told:
        return str(told["text"]).encode("utf-8")
    return base64.b64decode(told["base64"])
