"""JSON Schemas of the two manifests for editors, made from the models.

They say what a schema can say: fields, types, closed sets, forms of texts. Rules across fields and
files are the validator's.
"""

from collections.abc import Callable
from typing import Any, Final

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from covel_host.manifest.editor_rules import FIELD_RULES, OBJECT_RULES
from covel_host.manifest.field_texts_root import ROOT_TEXTS
from covel_host.manifest.field_texts_runtime import RUNTIME_TEXTS
from covel_host.manifest.fields import refuse_repeated
from covel_host.manifest.root_manifest import RootManifest
from covel_host.manifest.runtime_manifest import RuntimeManifest
from covel_host.manifest.text_forms import MAX_LINK_LENGTH, PathCheck, check_link

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
FIELD_TEXTS: Final = {**ROOT_TEXTS, **RUNTIME_TEXTS}

_LINK: Final = {"pattern": r"^https://[^\s/?#@]+([/?#]\S*)?$", "maxLength": MAX_LINK_LENGTH}
# Relative, forward slashes, no drive; `..` only where a runtime may climb to the package root.
_RELATIVE: Final = r"^(?!/)(?![^/]*:/)"
_NO_CLIMBING: Final = r"(?!(.*/)?\.\.(/|$))"
_CONTRACT_SCHEMA: Final = r"^contract:.+$"


def plugin_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of the frontmatter of a `PLUGIN.md`."""
    return _finished(RootManifest, "Covel PLUGIN.md")


def runtime_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of the frontmatter of a `RUNTIME.md`."""
    return _finished(RuntimeManifest, "Covel RUNTIME.md")


class _EditorSchema(GenerateJsonSchema):
    """The generator, taught what our own checks ask for."""

    schema_dialect = DIALECT

    def function_after_schema(
        self, schema: core_schema.AfterValidatorFunctionSchema
    ) -> JsonSchemaValue:
        inner = self.generate_inner(schema["schema"])
        check: Callable[..., Any] = schema["function"]["function"]
        if check is check_link:
            return {**inner, "format": "uri", **_LINK}
        if check is refuse_repeated:
            return {**inner, "uniqueItems": True}
        return {**inner, **_path_form(check)} if isinstance(check, PathCheck) else inner

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Defaults are only shown where they are values that an author could write."""
        found = super().default_schema(schema)
        if found.get("default") in (None, [], {}):
            found.pop("default", None)
        return found

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def _path_form(check: PathCheck) -> dict[str, str]:
    climbing = "" if check.may_climb else _NO_CLIMBING
    name = r"[^/\\]+" if check.suffix else r"[^/\\]*[^/\\.][^/\\]*"
    suffix = check.suffix.replace(".", r"\.")
    pattern = rf"{_RELATIVE}{climbing}([^\\]*/)?{name}{suffix}$"
    if check.takes_contract:
        pattern = f"({pattern})|({_CONTRACT_SCHEMA})"
    return {"pattern": pattern}


def _finished(model: type[RootManifest | RuntimeManifest], title: str) -> dict[str, Any]:
    schema = model.model_json_schema(schema_generator=_EditorSchema, by_alias=True)
    definitions = schema.pop("$defs", {})
    top = _object(schema, model.__name__)
    named = {name: _object(found, name) for name, found in sorted(definitions.items())}
    return {"$schema": DIALECT, **top, "title": title, "$defs": named}


def _object(schema: dict[str, Any], model: str) -> dict[str, Any]:
    """The schema of one object with the texts of its fields, and without the generator's noise."""
    texts = FIELD_TEXTS[model]
    properties = {
        field: {
            "description": texts[field],
            **_plain(found),
            **FIELD_RULES.get((model, field), {}),
        }
        for field, found in schema["properties"].items()
    }
    cleaned = {key: value for key, value in schema.items() if key != "title"}
    if "description" in cleaned:
        cleaned["description"] = " ".join(cleaned["description"].split())
    return {**cleaned, "properties": properties, **OBJECT_RULES.get(model, {})}


def _plain(schema: Any) -> Any:
    """`schema` without titles, and as exact as the validator.

    Unions of numbers are one type, maps whose keys have a form take no others, and a text for
    players is a plain text: translations are written in `locales/` (spec/manifest.md 3.3).
    """
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _plain(value) for key, value in schema.items() if key != "title"}
    branches = found.get("oneOf", [])
    if len(branches) == 2 and branches[1].get("additionalProperties", {}).get("type") == "string":
        del found["oneOf"]
        found |= branches[0]
    if branches == [{"type": "integer"}, {"type": "number"}]:
        del found["oneOf"]
        found["type"] = "number"
    if "patternProperties" in found:
        found["additionalProperties"] = False
    return found
