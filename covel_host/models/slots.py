"""Model slots: which provider and model answer for a task, and where each setting comes from.

A slot is a named route (`story`, `plugin`, `fast`, …); names are free. Every setting remembers its
origin, so that `covel models` and every error can say where to change it (spec/models.md 1, 2).
"""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Generic, Literal, TypeVar

from pydantic.alias_generators import to_camel

from covel_host.models.errors import ModelError, config_error, not_supported_yet
from covel_host.models.providers import (
    EMBEDDING_PROTOCOLS,
    SERVED_PROTOCOLS,
    Protocol,
    missing_extra,
)
from plugin_sdk.values import JsonValue

Tag = Literal["text", "image", "embedding", "speech", "transcription", "music", "evaluation"]
"""What a slot is able to give; a task never falls back across tags."""

SERVED_TAGS: tuple[Tag, ...] = ("text", "embedding")

DEFAULT_OUTPUT_TOKENS = 16_384

DEFAULT_SLOTS = ("default", "story")
"""Slots asked for in this order when a task names none, or one that is not configured."""

DEFAULT_EMBEDDING_SLOTS = ("embed", "embedding")
"""The same for texts as vectors."""

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Sourced(Generic[T_co]):
    """A setting and where it comes from: `llm.toml:4`, a variable's name, or a built-in table."""

    value: T_co
    origin: str


@dataclass(frozen=True, slots=True)
class ApiKey:
    """The key of a slot's provider: the variable that names it, and its value, never shown.

    `withheld` says why a key that exists is not sent; `value` is `None` then.
    """

    variable: str
    value: str | None = field(repr=False)
    withheld: str | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """One configured route from a task to a model, complete and checked in form."""

    name: str
    provider: Sourced[str]
    model: Sourced[str]
    base_url: Sourced[str]
    protocol: Sourced[Protocol]
    tag: Sourced[Tag]
    key: ApiKey
    needs_key: bool
    context_window: Sourced[int] | None = None
    max_output_tokens: Sourced[int] | None = None
    reasoning_effort: Sourced[str] | None = None
    fallback: Sourced[str] | None = None
    input: Sourced[tuple[str, ...]] | None = None
    output: Sourced[tuple[str, ...]] | None = None
    features: Sourced[tuple[str, ...]] | None = None
    pricing: Sourced[Mapping[str, JsonValue]] | None = None
    embedding_format: Sourced[str] | None = None
    provider_request_metadata: Sourced[Mapping[str, JsonValue]] | None = None
    provider_options: Sourced[Mapping[str, JsonValue]] | None = None

    def settings(self) -> Iterator[tuple[str, Sourced[object]]]:
        """Every setting that is set, by its name in the file, for display; never the key."""
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, Sourced):
                yield to_camel(item.name), value

    def output_limit(self, requested: int | None) -> int | None:
        """Tokens a reply may have, `None` where nothing says so (spec/models.md 5).

        What is requested, else 16,384, within the slot's limit and half of its window. Nothing is
        said to a model of unknown size: a limit beyond its window would be an error there.
        """
        most = []
        if self.max_output_tokens is not None:
            most.append(self.max_output_tokens.value)
        if self.context_window is not None:
            most.append(self.context_window.value // 2)
        if requested is None and not most:
            return None
        return min([requested or DEFAULT_OUTPUT_TOKENS, *most])

    def problem(self, *, task: Tag | None = None) -> ModelError | None:
        """Why this slot gives nothing for `task` now, its own tag when not given, else `None`."""
        if task not in (None, self.tag.value) or self.tag.value not in SERVED_TAGS:
            served = " and ".join(repr(tag) for tag in SERVED_TAGS if task in (None, tag))
            return not_supported_yet(
                f"Slot {self.name!r} ({self.tag.origin}) has the tag {self.tag.value!r}; "
                f"only slots with the tag {served} are served.",
                slot=self.name,
            )
        if self.embedding_format is not None and self.embedding_format.value != "openai":
            return not_supported_yet(
                f"Slot {self.name!r} has the embedding format {self.embedding_format.value!r} "
                f"({self.embedding_format.origin}); only 'openai' is served.",
                slot=self.name,
            )
        is_text = self.tag.value == "text"
        if self.protocol.value not in (SERVED_PROTOCOLS if is_text else EMBEDDING_PROTOCOLS):
            return not_supported_yet(
                f"Slot {self.name!r} uses the protocol {self.protocol.value!r} "
                f"({self.protocol.origin}), which is not served for the tag {self.tag.value!r}.",
                hint="Where the provider has an OpenAI-compatible address, set baseUrl to it and "
                'protocol = "openai-chat-v1".',
                slot=self.name,
            )
        if self.needs_key and self.key.value is None:
            return self._missing_key()
        return missing_extra(self.protocol.value, slot_name=self.name)

    def _missing_key(self) -> ModelError:
        if self.key.withheld is not None:
            return config_error(
                f"Slot {self.name!r} has no key for provider {self.provider.value!r}: "
                f"{self.key.withheld}",
                slot=self.name,
            )
        return config_error(
            f"Slot {self.name!r} needs a key for provider {self.provider.value!r} "
            f"({self.provider.origin}), and {self.key.variable} is not set.",
            hint=f"Set the environment variable {self.key.variable}; keys are not read from files.",
            slot=self.name,
        )


@dataclass(frozen=True, slots=True)
class SlotTable:
    """All configured slots, in file order; empty when nothing is configured.

    Attributes:
        file: the file that was read, "" when there is none.
    """

    slots: Mapping[str, Slot]
    file: str = ""

    def exact(self, name: str) -> Slot:
        """The slot of that very name, as a person asks for it.

        Raises:
            ModelError: `config-error`, naming the slots there are and the nearest one.
        """
        found = self.slots.get(name)
        if found is not None:
            return found
        known = ", ".join(self.slots) if self.slots else "none"
        near = difflib.get_close_matches(name, self.slots, n=1)
        raise config_error(
            f"There is no model slot {name!r}; configured are: {known}.",
            hint=f"Did you mean {near[0]!r}?" if near else "Add it to llm.toml, or use 'offline'.",
            slot=name,
        )

    def for_text(self, name: str | None) -> Slot | None:
        """The slot that answers a task for text, or `None`: the offline model answers then.

        The named slot, else the conventional ones, else the first text slot of the file; a role
        that is not configured, such as `fast`, falls to an existing text slot (spec/models.md 2.1).

        Raises:
            ModelError: the named slot exists and gives no text.
        """
        return self._for_task("text", name, DEFAULT_SLOTS)

    def for_embedding(self, name: str | None) -> Slot | None:
        """The slot that turns texts into vectors, found like that for text; `None` without any.

        Raises:
            ModelError: the named slot exists and gives no vectors.
        """
        return self._for_task("embedding", name, DEFAULT_EMBEDDING_SLOTS)

    def _for_task(self, task: Tag, name: str | None, conventional: tuple[str, ...]) -> Slot | None:
        named = self.slots.get(name) if name is not None else None
        if named is not None:
            if named.tag.value != task:
                raise config_error(
                    f"Slot {name!r} ({named.tag.origin}) has the tag {named.tag.value!r}, and "
                    f"{task} is asked for; a task never falls back across tags.",
                    slot=name,
                )
            return named
        fitting = {key: slot for key, slot in self.slots.items() if slot.tag.value == task}
        usual = next((fitting[key] for key in conventional if key in fitting), None)
        return usual or next(iter(fitting.values()), None)
