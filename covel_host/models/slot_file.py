"""Reading slots from `llm.toml` and the environment (spec/models.md 2).

The file: `COVEL_LLM_TOML`, else `COVEL_HOME/llm.toml`, else `llm.toml` in the working directory.
`COVEL_LLM_PROVIDER`, `COVEL_LLM_MODEL` and `COVEL_LLM_BASE_URL` set those fields of the slot
`default`, with or without a file. Keys come from `<PROVIDER>_API_KEY` alone.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covel_host.models.errors import config_error
from covel_host.models.providers import (
    BUILTIN_PROVIDERS,
    BuiltinProvider,
    Protocol,
    is_loopback,
    key_variable,
    same_origin,
)
from covel_host.models.slot_fields import SlotFields, derive_tag, slot_problems
from covel_host.models.slots import ApiKey, Slot, SlotTable, Sourced, Tag
from covel_host.models.toml_lines import line_of

FILE_NAME = "llm.toml"

ENVIRONMENT_FIELDS = {
    "COVEL_LLM_PROVIDER": "provider",
    "COVEL_LLM_MODEL": "model",
    "COVEL_LLM_BASE_URL": "baseUrl",
}
"""Variables that set a field of the slot `default`."""


@dataclass(frozen=True, slots=True)
class SlotFile:
    """A slot file's place; `trusted` is false for one that merely lies in the working directory."""

    path: Path
    trusted: bool


def find_slot_file(
    *, environment: Mapping[str, str], home: Path, working_directory: Path
) -> SlotFile | None:
    """The file slots are read from, or `None`.

    Raises:
        ModelError: `COVEL_LLM_TOML` names a file that does not exist.
    """
    named = environment.get("COVEL_LLM_TOML")
    if named:
        path = working_directory / named
        if not path.is_file():
            raise config_error(f"COVEL_LLM_TOML names {named!r}, and there is no such file.")
        return SlotFile(path, trusted=True)
    if (home / FILE_NAME).is_file():
        return SlotFile(home / FILE_NAME, trusted=True)
    if (working_directory / FILE_NAME).is_file():
        return SlotFile(working_directory / FILE_NAME, trusted=False)
    return None


def load_slots(*, environment: Mapping[str, str], home: Path, working_directory: Path) -> SlotTable:
    """All slots of the file and the environment, every setting with its origin.

    Raises:
        ModelError: `config-error` with file and line; `.message` lists every problem found.
    """
    file = find_slot_file(environment=environment, home=home, working_directory=working_directory)
    text, tables = ("", {}) if file is None else _read(file.path)
    shown = "" if file is None else str(file.path)
    sources = {
        name: _SlotSource(name, dict(table), text, shown, environment)
        for name, table in tables.items()
    }
    if any(environment.get(variable) for variable in ENVIRONMENT_FIELDS):
        sources.setdefault("default", _SlotSource("default", {}, text, shown, environment))
        sources["default"].apply_environment()
    problems = [problem for source in sources.values() for problem in source.problems()]
    if problems:
        raise config_error("\n".join(problems))
    trusted = file is None or file.trusted
    slots = {name: source.slot(trusted) for name, source in sources.items()}
    if problems := [told for slot in slots.values() if (told := _fallback_problem(slot, slots))]:
        raise config_error("\n".join(problems))
    return SlotTable(slots, shown)


def _fallback_problem(slot: Slot, slots: Mapping[str, Slot]) -> str | None:
    if slot.fallback is None:
        return None
    where = f"{slot.fallback.origin}: slot {slot.name!r}, 'fallback' is {slot.fallback.value!r}"
    target = slots.get(slot.fallback.value)
    if target is None:
        return f"{where}, and there is no such slot; there are: {', '.join(slots)}."
    if target is slot:
        return f"{where}, which is the slot itself."
    if (target.tag.value, slot.tag.value) != ("text", "text"):
        return f"{where}; only slots with the tag 'text' fall back, and to such slots only."
    return None


def _read(path: Path) -> tuple[str, dict[str, dict[str, Any]]]:
    try:
        text = path.read_bytes().decode("utf-8")
        document = tomllib.loads(text)
    except OSError as error:
        raise config_error(f"{path} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise config_error(f"{path} is not UTF-8 (byte {error.start}).") from error
    except tomllib.TOMLDecodeError as error:
        raise config_error(f"{path} is not TOML: {error}.") from error
    return text, _tables(path, text, document)


def _tables(path: Path, text: str, document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    strays = sorted(set(document) - {"covel"})
    tables = document.get("covel", {})
    if strays:
        place = f"{path}:{line_of(text, (), strays[0])}"
        raise config_error(
            f"{place}: {strays[0]!r} is not known here.", hint="Slots are tables [covel.<slot>]."
        )
    if not isinstance(tables, dict):
        raise config_error(f"{path}: 'covel' is not a table.", hint="Write [covel.<slot>].")
    for name, table in tables.items():
        if not isinstance(table, dict):
            place = f"{path}:{line_of(text, ('covel',), name)}"
            raise config_error(
                f"{place}: 'covel.{name}' is not a table.", hint=f"Write [covel.{name}]."
            )
    return tables


class _SlotSource:
    """The raw fields of one slot and the origin of each, on the way to a `Slot`."""

    def __init__(
        self,
        name: str,
        raw: dict[str, Any],
        text: str,
        file: str,
        environment: Mapping[str, str],
    ) -> None:
        self.name = name
        self.raw = raw
        self.environment = environment
        self.origins = {key: f"{file}:{line_of(text, ('covel', name), key)}" for key in raw}
        self.home = f"{file}:{line_of(text, ('covel',), name)}" if raw else "environment"

    def apply_environment(self) -> None:
        for variable, key in ENVIRONMENT_FIELDS.items():
            if value := self.environment.get(variable):
                self.raw[key] = value
                self.origins[key] = variable
        if "provider" not in self.raw:
            # A model without a provider is the shortest useful setting; its key is OPENAI_API_KEY.
            self.raw["provider"] = "openai"
            self.origins["provider"] = "built-in default"

    def problems(self) -> list[str]:
        return [
            f"{self.origins.get(problem.key, self.home)}: slot {self.name!r}, {problem.message}"
            for problem in slot_problems(self.raw)
        ]

    def slot(self, trusted_file: bool) -> Slot:
        values = SlotFields.model_validate(self.raw)
        builtin = BUILTIN_PROVIDERS.get(values.provider)
        base_url = self._base_url(values, builtin)
        return Slot(
            name=self.name,
            provider=self._sourced("provider", values.provider),
            model=self._sourced("model", values.model),
            base_url=base_url,
            protocol=self._protocol(values, builtin),
            tag=self._tag(values),
            key=self._key(values.provider, base_url, builtin, trusted_file),
            needs_key=not is_loopback(base_url.value),
            context_window=self._optional("contextWindow", values.context_window),
            max_output_tokens=self._optional("maxOutputTokens", values.max_output_tokens),
            reasoning_effort=self._optional("reasoningEffort", values.reasoning_effort),
            fallback=self._optional("fallback", values.fallback),
            input=self._optional("input", values.input),
            output=self._optional("output", values.output),
            features=self._optional("features", values.features),
            pricing=self._optional(
                "pricing", values.pricing and values.pricing.model_dump(by_alias=True)
            ),
            embedding_format=self._optional("embeddingFormat", values.embedding_format),
            provider_request_metadata=self._optional(
                "providerRequestMetadata", values.provider_request_metadata
            ),
            provider_options=self._optional("providerOptions", values.provider_options),
        )

    def _sourced(self, key: str, value: Any) -> Sourced[Any]:
        return Sourced(value, self.origins[key])

    def _optional(self, key: str, value: Any) -> Sourced[Any] | None:
        return Sourced(value, self.origins[key]) if key in self.raw else None

    def _base_url(self, values: SlotFields, builtin: BuiltinProvider | None) -> Sourced[str]:
        if values.base_url is not None:
            return Sourced(values.base_url.rstrip("/"), self.origins["baseUrl"])
        if builtin is None:
            raise AssertionError("slot_problems() demands baseUrl for other providers")
        return Sourced(builtin.base_url, "built-in provider table")

    def _tag(self, values: SlotFields) -> Sourced[Tag]:
        origin = self.origins.get("tag") or self.origins.get("output") or "built-in default"
        return Sourced(derive_tag(values) or "text", origin)

    def _protocol(self, values: SlotFields, builtin: BuiltinProvider | None) -> Sourced[Protocol]:
        if values.protocol is not None:
            return Sourced(values.protocol, self.origins["protocol"])
        if builtin is not None:
            return Sourced(builtin.protocol, "built-in provider table")
        return Sourced("openai-chat-v1", "built-in default")

    def _key(
        self,
        provider: str,
        base_url: Sourced[str],
        builtin: BuiltinProvider | None,
        trusted_file: bool,
    ) -> ApiKey:
        # A file that came with a downloaded folder could name any address and any provider, and so
        # collect any key: such a file gets keys only for a built-in provider's own address.
        variable = key_variable(provider)
        value = self.environment.get(variable) or None
        own_address = builtin is not None and same_origin(base_url.value, builtin.base_url)
        from_file = base_url.origin != "COVEL_LLM_BASE_URL"
        if value is None or trusted_file or own_address or not from_file:
            return ApiKey(variable, value)
        reason = (
            f"{variable} is not sent to {base_url.value} because the address comes from a file in "
            f"the working directory ({base_url.origin}). To allow it, move the file to COVEL_HOME "
            "or name it in COVEL_LLM_TOML."
        )
        return ApiKey(variable, None, withheld=reason)
