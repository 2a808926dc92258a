"""`ctx.media`: storing media for the session of a run (spec/media.md 3)."""

from collections.abc import Mapping
from typing import Final

from covel_host.base.errors import HostError
from covel_host.base.not_served import not_served
from covel_host.media.errors import MediaRefused, MediaUnusable
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.run_http import run_http
from plugin_sdk.errors import ToolError, ToolErrorCode
from plugin_sdk.values import JsonValue
from plugin_sdk.wire import MediaRef

_INGEST_LIMIT_MS: Final = 60_000
_OK: Final = 200


class RunMedia:
    """What one run stores; the session owns it, also when the run fails later."""

    def __init__(self, run: RuntimeRun, ports: RunPorts, life: CallLife) -> None:
        self._run = run
        self._media = ports.media
        self._http = run_http(run, ports, life)
        self._life = life

    async def put(
        self, data: bytes, *, mime: str, meta: Mapping[str, JsonValue] | None = None
    ) -> MediaRef:
        media, run = self._media, self._run
        if media is None:
            not_served("ctx.media.put")
        if not isinstance(data, bytes):
            raise ToolError("invalid-input", f"Media are bytes, not a {type(data).__name__!r}.")
        try:
            return await self._life.use(
                lambda: media.put(
                    data,
                    mime=mime,
                    meta=meta,
                    session_id=run.session_id,
                    plugin_id=run.plugin_id,
                    check=self._life.check,
                )
            )
        except (MediaRefused, MediaUnusable) as error:
            raise _told(error) from error

    async def ingest_url(
        self, url: str, *, meta: Mapping[str, JsonValue] | None = None
    ) -> MediaRef:
        answer = await self._http.fetch_with_retry(url, timeout_ms=_INGEST_LIMIT_MS)
        if answer.status != _OK:
            raise ToolError("unavailable", f"The address answered with status {answer.status}.")
        mime = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        return await self.put(answer.body, mime=mime, meta=meta)


def _told(error: HostError) -> ToolError:
    code: ToolErrorCode = "invalid-input" if isinstance(error, MediaRefused) else "unavailable"
    return ToolError(code, error.message, hint=error.hint)
