"""Runtime cases as a package writes them: `tests/runtime-cases.json` or `covel.test.json`.

A list, or `{"cases": [...]}` (spec/manifest.md 14.3; the replies as spec/decisions.md 6 has them).
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from covel_host.base.errors import HostError
from covel_host.base.json_text import JsonTextError, parse_json
from covel_host.diagnostics.source import SourceText
from covel_host.diagnostics.yaml_document import YamlDocument, read_yaml
from covel_host.models.script_file import ScriptedReply
from plugin_sdk.testing.results import RunStatus
from plugin_sdk.values import JsonObject, JsonValue

MAX_BYTES: Final = 16 * 1024 * 1024

Mode: TypeAlias = Literal["mock", "live"]
Place: TypeAlias = tuple[str | int, ...]

_INSTEAD: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(
            ("llmResponse", "llmContent", "llmObject", "mockPresetId"),
            "replies stand in 'llmResponses': a list of {text?, calls?, usage?, delayMs?, error?}",
        ),
        "config": "what a package can be set to stands in 'userSettings'",
        "ignoreUpstreams": "leave it out: a runtime that is started by hand waits for no other one",
        "artifacts": "what was stored is checked with 'expect.pluginData'",
    }
)
"""Fields of other hosts that this one does not read, and what to write instead."""


class CaseFileError(HostError):
    """Cases that cannot be read; the message has one line `file:line:column: path: …` each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems), code="case-invalid", hint="See docs/testing.md.")


class _Strict(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, alias_generator=to_camel, validate_by_name=False
    )


class ExpectedRun(_Strict):
    """A runtime that has to end with that status."""

    runtime_id: Annotated[str, Field(min_length=1)]
    status: RunStatus


class ExpectedData(_Strict):
    """A record that has to be there; where a value is written, with that value."""

    namespace: Annotated[str, Field(min_length=1)]
    field: Annotated[str, Field(min_length=1)]
    value: JsonValue = None
    plugin_id: str | None = None

    @property
    def has_value(self) -> bool:
        """Whether the value is expected as well."""
        return "value" in self.model_fields_set


class Expected(_Strict):
    """What a case looks at afterwards."""

    runtime_results: list[ExpectedRun] = Field(default_factory=list)
    plugin_data: list[ExpectedData] = Field(default_factory=list)


class RuntimeCase(_Strict):
    """One case: a runtime started by hand, what the model replies, and what comes of it.

    Without `runtime_id` it is the package's only runtime. `llm_responses` are the replies of mode
    `mock`; without them every request is answered with a short text and no calls. `with_plugins`
    are companions by path or ID.
    """

    name: Annotated[str, Field(min_length=1)]
    plugin_id: str | None = None
    runtime_id: str | None = None
    message: str | None = None
    payload: JsonValue = None
    user_settings: JsonObject = Field(default_factory=dict)
    llm_responses: list[ScriptedReply] | None = None
    with_plugins: list[str] | None = None
    expects_background_follower: bool = False
    mode: Literal["mock", "live", "both"] = "both"
    expect: Expected = Field(default_factory=Expected)

    def runs_in(self, mode: Mode) -> bool:
        """Whether the case is one of that mode."""
        return self.mode in (mode, "both")


_CASES: Final = TypeAdapter(list[RuntimeCase])


def read_cases(path: Path, *, shown: str) -> tuple[RuntimeCase, ...]:
    """The cases of a file, each name once; `shown` is what messages call the file.

    Raises:
        CaseFileError: it cannot be read, is no JSON, or holds what no case has.
    """
    try:
        size = path.stat().st_size
        text = "" if size > MAX_BYTES else path.read_text("utf-8-sig")
    except OSError as error:
        raise CaseFileError([f"{shown}: it cannot be read: {error.strerror or error}."]) from None
    except UnicodeDecodeError as error:
        raise CaseFileError([f"{shown}: it is not UTF-8 (byte {error.start})."]) from None
    if size > MAX_BYTES:
        raise CaseFileError([f"{shown}: it has {size} bytes; {MAX_BYTES} are the limit."])
    try:
        value = parse_json(text)
    except JsonTextError as error:
        place = f"{shown}:{error.line}:{error.column}"
        raise CaseFileError([f"{place}: it is not JSON: {error.message}."]) from None
    return _checked(value, _locator(text, shown))


def check_cases(value: JsonValue, *, shown: str) -> tuple[RuntimeCase, ...]:
    """The cases of a value that was not read from a file.

    Raises:
        CaseFileError: it holds what no case has.
    """
    return _checked(value, lambda place: shown)


def _checked(value: JsonValue, locate: Callable[[Place], str]) -> tuple[RuntimeCase, ...]:
    prefix: Place = ()
    if isinstance(value, dict) and "cases" in value:
        prefix = ("cases",)
        unknown = [(key,) for key in value if key != "cases"]
        if unknown:
            raise CaseFileError([_line(place, "no such field.", locate) for place in unknown])
        value = value["cases"]
    if not isinstance(value, list) or not value:
        raise CaseFileError(
            [_line(prefix, "expected a list of cases, or {'cases': [...]}.", locate)]
        )
    try:
        cases = _CASES.validate_python(value)
    except ValidationError as error:
        raise CaseFileError([_problem(item, prefix, locate) for item in error.errors()]) from None
    _refuse_doubles(cases, prefix, locate)
    return tuple(cases)


def _refuse_doubles(
    cases: list[RuntimeCase], prefix: Place, locate: Callable[[Place], str]
) -> None:
    seen: set[str] = set()
    for number, case in enumerate(cases):
        if case.name in seen:
            place = (*prefix, number, "name")
            raise CaseFileError([_line(place, f"the name {case.name!r} is used twice.", locate)])
        seen.add(case.name)


def _problem(item: Any, prefix: Place, locate: Callable[[Place], str]) -> str:
    # The branch of a union ("str", "dict[str,any]") is no part of the file's path.
    inner = tuple(part for part in item["loc"] if isinstance(part, int) or part.isidentifier())
    place: Place = (*prefix, *inner)
    if item["type"] == "extra_forbidden":
        instead = _INSTEAD.get(str(place[-1]))
        told = "no such field." if instead is None else f"this host does not read it; {instead}."
        return _line(place, told, locate)
    message = str(item["msg"]).removeprefix("Value error, ").removesuffix(".")
    return _line(place, f"{message}; got {item['input']!r:.80}.", locate)


def _line(place: Place, message: str, locate: Callable[[Place], str]) -> str:
    shown = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return f"{locate(place)}: {shown.removeprefix('.') or 'the file'}: {message}"


def _locator(text: str, shown: str) -> Callable[[Place], str]:
    """Finds places of the file; JSON is YAML but for tabs."""
    document: YamlDocument | None = None
    source = SourceText(text)

    def locate(place: Place) -> str:
        nonlocal document
        document = document or read_yaml(text.replace("\t", " "))
        found = document.key_place(place)
        if found is None:
            return shown
        line, column = source.position(found[0])
        return f"{shown}:{line}:{column}"

    return locate
