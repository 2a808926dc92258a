"""The protocol of `ctx.gateway`: the host's models for package code."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from plugin_sdk.records import (
        ChatMessage,
        EmbeddingReply,
        ObjectReply,
        ResolvedSlot,
        TextReply,
    )
    from plugin_sdk.values import JsonValue


class Gateway(Protocol):
    """The host's models; keys, limits, cancellation and traces are the run's own."""

    async def generate_text(
        self,
        messages: str | Sequence[ChatMessage],
        *,
        slot: str | None = None,
        max_output_tokens: int | None = None,
        temperature: float | None = None,
        response_format: Mapping[str, JsonValue] | None = None,
    ) -> TextReply:
        """A complete text; a `str` is one user message, no `slot` means the run's own.

        With `response_format` `{"type": "json_schema", "schema": …}` the model is asked for JSON of
        that schema. The text stays text and is not checked (spec/models.md 8); `generate_object`
        checks.

        Raises:
            ToolError: `unavailable` or `timeout` when the model gave none, `invalid-input` for what
                cannot be asked.
        """

    async def generate_object(
        self,
        messages: str | Sequence[ChatMessage],
        *,
        schema: Mapping[str, JsonValue],
        slot: str | None = None,
        max_output_tokens: int | None = None,
        temperature: float | None = None,
    ) -> ObjectReply:
        """A value that fits the JSON Schema `schema`."""

    def stream_text(
        self,
        messages: str | Sequence[ChatMessage],
        *,
        slot: str | None = None,
        max_output_tokens: int | None = None,
        temperature: float | None = None,
        response_format: Mapping[str, JsonValue] | None = None,
    ) -> AsyncIterator[str]:
        """Pieces of text as they come; ends normally only when the text is complete.

        `response_format` is that of `generate_text`.
        """

    async def embed(self, texts: Sequence[str], *, slot: str | None = None) -> EmbeddingReply:
        """One vector per text, of the slot that is named or the first one for embeddings.

        Offline and with scripted replies the vectors are made of the words of the texts and
        `model` is `offline`; they compare with each other and with nothing else.

        Raises:
            ToolError: `unavailable` or `timeout` when the model gave none, also where models are
                configured and none is for embeddings; `invalid-input` for what is no list of texts.
        """

    async def resolve_slot(self, slot: str) -> ResolvedSlot:
        """Where a slot leads, its key included."""
