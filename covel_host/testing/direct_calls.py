"""Functions of a loaded package, called directly with contexts that a test builds."""

import difflib
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from covel_host.base.json_text import dump_json
from covel_host.catalog.generation import Generation, RuntimeFunction
from covel_host.testing.tracebacks import is_told
from plugin_sdk.testing.contexts import (
    make_action_context,
    make_form_context,
    make_function_context,
    make_guard_context,
    make_service_context,
    make_tool_context,
)
from plugin_sdk.testing.failures import Refused
from plugin_sdk.testing.running import resolved
from plugin_sdk.values import JsonObject, JsonValue

__tracebackhide__ = is_told


class DirectCalls:
    """The functions of one generation; see `plugin_sdk.testing.fixture.Covel` for each call."""

    def __init__(self, generation: Generation, *, locale: str) -> None:
        self._generation = generation
        self._locale = locale
        self._messages = generation.translations.get(locale, {})
        self._common: dict[str, Any] = {
            "plugin_id": generation.plugin_id,
            "locale": locale,
            "messages": self._messages,
            "translations": generation.translations,
        }

    def module(self, path: str) -> ModuleType:
        """The package's module at `path`."""
        entry = self._generation.entry
        try:
            if entry is None:
                raise KeyError(path)
            return entry.namespace.import_module(path)
        except KeyError:
            raise Refused(
                f"The package {self._generation.plugin_id!r} has no module {path!r}.",
                code="module-not-found",
                hint="Give its path in the package, such as 'server/index.py'.",
            ) from None

    def tool(self, name: str, arguments: JsonObject, context: Mapping[str, Any]) -> Any:
        """What a tool's function gives."""
        tool = self._named("tool", self._generation.tools, name)
        parsed = tool.parse(dump_json(arguments))
        return resolved(tool.invoke(make_tool_context(**{**self._common, **context}), parsed))

    def action(self, name: str, payload: JsonValue, context: Mapping[str, Any]) -> Any:
        """What an action's function gives."""
        action = self._named("action", self._generation.actions, name)
        parsed = action.parse(dump_json(payload))
        made = make_action_context(**{**self._common, "action": name, **context})
        return resolved(action.invoke(made, parsed))

    def service(self, name: str, value: JsonValue, context: Mapping[str, Any]) -> Any:
        """What a service's function gives."""
        by_contract = {
            found.contract: found for found in reversed(list(self._generation.services.values()))
        }
        service = self._named("service", {**by_contract, **self._generation.services}, name)
        parsed = service.parse(dump_json(value))
        made = make_service_context(**{**self._common, **context})
        return resolved(service.invoke(made, parsed))

    def validator(
        self, name: str, fields: Mapping[str, object], data: object
    ) -> list[tuple[str | None, str]]:
        """What a form validator finds wrong."""
        validator = self._named("form validator", self._generation.forms, name)
        context = make_form_context(locale=self._locale, messages=self._messages)
        return [(issue.field, issue.message) for issue in validator.issues(context, fields, data)]

    def handler(self, runtime_id: str, context: Mapping[str, Any]) -> Any:
        """What the handler of a function runtime gives."""
        function = self._function("handler", self._generation.handlers, runtime_id)
        made = make_function_context(**{**self._common, "runtime_id": runtime_id, **context})
        return resolved(function(made))

    def guard(self, runtime_id: str, context: Mapping[str, Any]) -> Any:
        """What a runtime's guard gives."""
        function = self._function("guard", self._generation.guards, runtime_id)
        made = make_guard_context(**{**self._common, "runtime_id": runtime_id, **context})
        return resolved(function(made))

    def _function(
        self, noun: str, functions: Mapping[str, RuntimeFunction], runtime_id: str
    ) -> RuntimeFunction:
        if self._generation.runtime(runtime_id) is not None and runtime_id not in functions:
            raise Refused(f"The runtime {runtime_id!r} has no {noun}.", code=f"no-{noun}")
        function: RuntimeFunction = self._named("runtime", functions, runtime_id)
        return function

    def _named(self, noun: str, known: Mapping[str, Any], name: str) -> Any:
        if name in known:
            return known[name]
        near = difflib.get_close_matches(name, known, n=1)
        listed = ", ".join(map(repr, known)) or "none"
        raise Refused(
            f"The package {self._generation.plugin_id!r} has no {noun} {name!r}.",
            code=f"{noun.replace(' ', '-')}-not-found",
            hint=f"Did you mean {near[0]!r}?" if near else f"It has: {listed}.",
        )
