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
from covel_host.models.providers import SERVED_PROTOCOLS, Protocol
from plugin_sdk.values import JsonValue

Tag = Literal["text", "image", "embedding", "speech", "transcription", "music", "evaluation"]
"""What a slot is able to give; a task never falls back across tags."""

DEFAULT_OUTPUT_TOKENS = 16_384

DEFAULT_SLOTS = ("default", "story")
"""Slots asked for in this order when a task names none, or one that is not configured."""

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

    def problem(self) -> ModelError | None:
        """Why this slot gives no text replies now, or `None` when it does."""
        if self.tag.value != "text":
            return not_supported_yet(
                f"Slot {self.name!r} ({self.tag.origin}) has the tag {self.tag.value!r}; "
                "only slots with the tag 'text' are served.",
                slot=self.name,
            )
        if self.protocol.value not in SERVED_PROTOCOLS:
            return not_supported_yet(
                f"Slot {self.name!r} uses the protocol {self.protocol.value!r} "
                f"({self.protocol.origin}), which is not served.",
                hint="Where the provider has an OpenAI-compatible address, set baseUrl to it and "
                'protocol = "openai-chat-v1".',
                slot=self.name,
            )
        if self.needs_key and self.key.value is None:
            return self._missing_key()
        return None

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
        named = self.slots.get(name) if name is not None else None
        if named is not None:
            if named.tag.value != "text":
                raise config_error(
                    f"Slot {name!r} ({named.tag.origin}) has the tag {named.tag.value!r}, and text "
                    "is asked for; a task never falls back across tags.",
                    slot=name,
                )
            return named
        texts = {key: slot for key, slot in self.slots.items() if slot.tag.value == "text"}
        for conventional in DEFAULT_SLOTS:
            if conventional in texts:
                return texts[conventional]
        return next(iter(texts.values()), None)
