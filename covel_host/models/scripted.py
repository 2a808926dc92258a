"""A model that plays written replies, one per request, in their order (spec/decisions.md 6)."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from covel_host.base.json_text import dump_json
from covel_host.models.errors import ErrorFacts, ModelError, kind_of_status, status_is_resent
from covel_host.models.messages import ModelCall, ModelReply, ModelRequest, TextDelta, Usage
from covel_host.models.port import CallProgress, PieceSink, text_pieces
from covel_host.models.script_file import ScriptedError, ScriptedReply


class ScriptedModel:
    """Plays `replies` in the order in which requests arrive; a resent request takes the next one.

    Args:
        name: what the script is called in errors, a file's name for one.
        sleep: waits `delayMs`.
    """

    def __init__(
        self,
        replies: Sequence[ScriptedReply],
        *,
        name: str = "script",
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._replies = tuple(replies)
        self._name = name
        self._sleep = sleep
        self._used = 0

    @property
    def used(self) -> int:
        """How many replies have been played."""
        return self._used

    async def complete(self, request: ModelRequest, *, on_piece: PieceSink) -> ModelReply:
        """The next reply of the script, after its delay.

        Raises:
            ModelError: `script-exhausted` when all replies are used, else the error the script
                asks for.
        """
        reply = self._next()
        number = self._used
        if reply.delay_ms:
            await self._sleep(reply.delay_ms / 1000)
        if reply.error is not None:
            raise self._failure(reply.error, number)
        played = _played(reply, number)
        if request.stream:
            for piece in text_pieces(played.text):
                await on_piece(TextDelta(piece))
            for _ in played.calls:
                await on_piece(CallProgress())
        return played

    async def aclose(self) -> None:
        """Nothing is held."""

    def _next(self) -> ScriptedReply:
        if self._used == len(self._replies):
            count = len(self._replies)
            held = "1 reply" if count == 1 else f"{count} replies"
            raise ModelError(
                f"The script {self._name!r} has {held} and all of them have been used; "
                f"the model was asked once more (request {count + 1}).",
                code="script-exhausted",
                facts=ErrorFacts(kind="config", provider="scripted", model="scripted"),
                hint="Add the missing replies to the script.",
            )
        self._used += 1
        return self._replies[self._used - 1]

    def _failure(self, error: ScriptedError, number: int) -> ModelError:
        resent = status_is_resent(error.status)
        return ModelError(
            f"Reply {number} of the script {self._name!r} is the error {error.status}.",
            code="provider-error",
            facts=ErrorFacts(
                kind=kind_of_status(error.status),
                status=error.status,
                retriable=resent,
                resend=resent,
                retry_after_s=error.retry_after,
                provider="scripted",
                model="scripted",
            ),
        )


def _played(reply: ScriptedReply, number: int) -> ModelReply:
    calls = tuple(
        ModelCall(
            call_id=f"scripted-{number}-{position}",
            name=call.name,
            arguments=call.arguments
            if isinstance(call.arguments, str)
            else dump_json(call.arguments),
        )
        for position, call in enumerate(reply.calls, start=1)
    )
    usage = reply.usage
    return ModelReply(
        reply.text or "",
        calls,
        finish_reason="tool_calls" if calls else "stop",
        raw_finish_reason="tool_calls" if calls else "stop",
        usage=Usage(
            usage.input_tokens,
            usage.output_tokens,
            usage.cached_input_tokens,
            usage.cache_write_input_tokens,
        ),
        provider="scripted",
        model="scripted",
    )
