"""What a generation brings, as comparable facts: by kind, by name, by aspect."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from covel_host.catalog.generation import Generation
from covel_host.manifest.layout import ROOT_MANIFEST, ROOT_VARIANT, RUNTIME_VARIANT
from covel_host.manifest.reading import RuntimeReading
from plugin_sdk.tools import Tool

Aspects: TypeAlias = Mapping[str, object]
"""What can differ between two of a name; each aspect is named as people read it."""
Facts: TypeAlias = Mapping[str, Aspects]
"""Aspects by name."""

_GROUPS: Final = {
    "commands": "command",
    "events": "event",
    "settings": "setting",
    "data": "data namespace",
    "worldProjections": "world projection",
    "prompt": "prompt segment",
    "wires": "wire",
    "ui": "interface",
}
"""Groups of `contributes` that no code registers, with the word for one of them."""
_NAME_FIELDS: Final = ("name", "id", "key", "topic")


def tool_facts(generation: Generation) -> Facts:
    """The tools, their parameters one by one."""
    return {name: _tool(tool) for name, tool in generation.tools.items()}


def hook_facts(generation: Generation) -> Facts:
    """The life-cycle hooks by event and function."""
    return {
        f"{hook.event} ({hook.function_name})": {
            "order": hook.order,
            "arguments": hook.arguments,
            "time limit": hook.timeout_ms,
            "condition": hook.match is not None,
            "place": hook.position,
        }
        for hook in generation.hooks
    }


def runtime_facts(generation: Generation) -> Facts:
    """The runtimes by ID, with the fields of their manifests down to the second level."""
    return {runtime.runtime_id: _runtime(runtime) for runtime in generation.reading.runtimes}


def prompt_facts(generation: Generation) -> Facts:
    """The texts of agent runtimes by file, variants included."""
    facts: dict[str, Aspects] = {}
    for runtime in generation.reading.runtimes:
        if runtime.manifest is None or runtime.manifest.runtime_type != "agent":
            continue
        facts[runtime.file] = {"text": runtime.body}
        if runtime.body_zh is not None:
            facts[_variant_of(runtime.file)] = {"text": runtime.body_zh}
    return facts


def schema_facts(generation: Generation) -> Facts:
    """The compiled schemas of runtimes."""
    facts: dict[str, Aspects] = {}
    for runtime_id, schemas in generation.schemas.items():
        for purpose, schema in (("payload", schemas.payload), ("output", schemas.output)):
            if schema is not None:
                facts[f"{purpose} of {runtime_id}"] = {"content": schema.schema}
    return facts


def dataset_facts(generation: Generation) -> Facts:
    """The data sets, their fields one by one."""
    return {
        name: {
            "key": dataset.rules.key_field,
            "operations": frozenset(dataset.rules.ops),
            "tools": dataset.tools,
            "description": dataset.description,
            **_properties("field", dataset.schema),
        }
        for name, dataset in generation.datasets.items()
    }


def action_facts(generation: Generation) -> Facts:
    """The RPC actions."""
    return {name: _attributes(action, "description") for name, action in generation.actions.items()}


def service_facts(generation: Generation) -> Facts:
    """The services by their own names, with what their callers see."""
    return {
        name: {
            **_attributes(service, "contract", "kind", "description", "offer_to_models"),
            "input schema": service.input_schema,
        }
        for name, service in generation.services.items()
    }


def extension_facts(generation: Generation) -> Facts:
    """The implementations of extension points."""
    return {
        name: _attributes(extension, "order") for name, extension in generation.extensions.items()
    }


def form_facts(generation: Generation) -> Facts:
    """The form validators."""
    return {name: {} for name in generation.forms}


def package_facts(generation: Generation) -> Facts:
    """The fields of `PLUGIN.md` outside `contributes` and `runtime`."""
    manifest = generation.reading.manifest
    if manifest is None:
        return {}
    written = manifest.model_dump(by_alias=True, exclude_unset=True, mode="json")
    rest = {
        name: value for name, value in written.items() if name not in ("contributes", "runtime")
    }
    return {ROOT_MANIFEST: rest}


def contribution_facts(group: str) -> Callable[[Generation], Facts]:
    """Reads a group of `contributes` that no code registers."""

    def read(generation: Generation) -> Facts:
        manifest = generation.reading.manifest
        if manifest is None:
            return {}
        written = manifest.contributes.model_dump(by_alias=True, exclude_unset=True, mode="json")
        value = written.get(group) or {}
        if isinstance(value, dict):
            return {name: _as_aspects(item) for name, item in value.items()}
        return {_name_of(item): _as_aspects(item) for item in value}

    return read


KINDS: Final[tuple[tuple[str, Callable[[Generation], Facts]], ...]] = (
    ("manifest", package_facts),
    ("tool", tool_facts),
    ("hook", hook_facts),
    ("runtime", runtime_facts),
    ("prompt", prompt_facts),
    ("schema", schema_facts),
    ("data set", dataset_facts),
    ("service", service_facts),
    ("action", action_facts),
    ("extension", extension_facts),
    ("form", form_facts),
    *((kind, contribution_facts(group)) for group, kind in _GROUPS.items()),
)
"""What is compared, in the order it is told in."""


def _tool(tool: Tool[..., Any]) -> Aspects:
    return {
        "description": tool.description,
        "side effects": tool.annotations,
        "time limit": tool.timeout_ms,
        **_properties("parameter", tool.input_schema),
    }


def _properties(noun: str, schema: Mapping[str, Any]) -> dict[str, object]:
    """A schema by its properties, each with whether it is required, and the rest as one."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return {"schema": schema}
    required = schema.get("required") or ()
    rest = {key: value for key, value in schema.items() if key not in ("properties", "required")}
    return {
        **{f"{noun} {name}": (value, name in required) for name, value in properties.items()},
        "schema": rest,
    }


def _runtime(runtime: RuntimeReading) -> Aspects:
    if runtime.manifest is None:
        return {}
    written = runtime.manifest.model_dump(by_alias=True, exclude_unset=True, mode="json")
    aspects: dict[str, object] = {}
    for group, value in written.items():
        if isinstance(value, dict):
            aspects |= {f"{group}.{name}": inner for name, inner in value.items()}
        else:
            aspects[group] = value
    return aspects


def _variant_of(file: str) -> str:
    folder, slash, name = file.rpartition("/")
    return f"{folder}{slash}{ROOT_VARIANT if name == ROOT_MANIFEST else RUNTIME_VARIANT}"


def _attributes(registered: object, *names: str) -> dict[str, object]:
    return {name.replace("_", " "): getattr(registered, name) for name in names}


def _as_aspects(item: Any) -> Aspects:
    return item if isinstance(item, dict) else {"value": item}


def _name_of(item: Any) -> str:
    if isinstance(item, str):
        return item
    return next((str(item[field]) for field in _NAME_FIELDS if field in item), "(unnamed)")
