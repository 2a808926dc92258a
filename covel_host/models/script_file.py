"""Scripted replies as they are written in a file or a test case (spec/decisions.md 6).

A list; each item is `{text?, calls?: [{name, arguments}], usage?, delayMs?, error?: {status,
retryAfter?}}`. `arguments` may be text, so that a model's broken JSON can be played.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_camel

from covel_host.base.json_text import JsonTextError, parse_json
from covel_host.diagnostics.source import SourceText
from covel_host.diagnostics.yaml_document import YamlDocument, read_yaml
from covel_host.models.errors import config_error

Locate = Callable[[tuple[str | int, ...]], str]


class _Strict(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        alias_generator=to_camel,
        validate_by_name=False,
        defer_build=True,
    )


class ScriptedCall(_Strict):
    """One tool call of a scripted reply; an object of arguments is sent as its JSON text."""

    name: Annotated[str, Field(min_length=1)]
    arguments: str | dict[str, Any] = Field(default_factory=dict)


class ScriptedUsage(_Strict):
    """Tokens the reply claims to have used."""

    input_tokens: Annotated[int, Field(ge=0)] = 0
    output_tokens: Annotated[int, Field(ge=0)] = 0
    cached_input_tokens: Annotated[int, Field(ge=0)] | None = None
    cache_write_input_tokens: Annotated[int, Field(ge=0)] | None = None


class ScriptedError(_Strict):
    """An HTTP error in place of a reply; `retry_after` in seconds."""

    status: Annotated[int, Field(ge=400, le=599)]
    retry_after: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None


class ScriptedReply(_Strict):
    """What answers one request: a text, calls, both, or an error."""

    text: str | None = None
    calls: list[ScriptedCall] = Field(default_factory=list)
    usage: ScriptedUsage = Field(default_factory=ScriptedUsage)
    delay_ms: Annotated[int, Field(ge=0, le=600_000)] = 0
    error: ScriptedError | None = None

    @model_validator(mode="after")
    def _says_something(self) -> "ScriptedReply":
        if self.error is not None and (self.text is not None or self.calls):
            raise ValueError("a reply with 'error' has neither 'text' nor 'calls'")
        if self.error is None and self.text is None and not self.calls:
            raise ValueError("a reply has 'text', 'calls' or 'error'")
        return self


_REPLIES = TypeAdapter(list[ScriptedReply])


def parse_replies(value: object, *, locate: Locate) -> tuple[ScriptedReply, ...]:
    """The replies that a parsed YAML or JSON value holds.

    Args:
        locate: shows a path inside `value` as a place, such as `replies.yaml:4`.

    Raises:
        ModelError: `config-error`; `.message` lists every problem with its place.
    """
    try:
        return tuple(_REPLIES.validate_python(value))
    except ValidationError as error:
        raise config_error(
            "\n".join(_problem(item, locate) for item in error.errors()),
            hint="A script is a list of {text?, calls?, usage?, delayMs?, error?}.",
        ) from None


def _problem(item: Any, locate: Locate) -> str:
    # The branch of a union ("str", "dict[str,any]") is no part of the file's path.
    path = tuple(part for part in item["loc"] if isinstance(part, int) or part.isidentifier())
    shown = ".".join(str(part) for part in path)
    message = str(item["msg"]).removeprefix("Value error, ").removesuffix(".")
    if item["type"] == "extra_forbidden":
        message = "this field is not known here"
    return f"{locate(path)}: {shown or 'the script'}: {message}."


def read_script(path: Path) -> tuple[ScriptedReply, ...]:
    """The replies of a `.json` file, or of a YAML file of any other name.

    Raises:
        ModelError: `config-error` with file and line; a JSON file's problems of content name the
            path inside it.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise config_error(
            f"The script {str(path)!r} cannot be read: {error.strerror or error}."
        ) from error
    except UnicodeDecodeError as error:
        raise config_error(f"The script {str(path)!r} is not UTF-8 (byte {error.start}).") from None
    if path.suffix.lower() == ".json":
        return _read_json(path, text)
    return _read_yaml(path, text)


def _read_json(path: Path, text: str) -> tuple[ScriptedReply, ...]:
    try:
        value = parse_json(text)
    except JsonTextError as error:
        raise config_error(
            f"{path}:{error.line}: the script is not JSON: {error.message}."
        ) from None
    return parse_replies(value, locate=lambda place: str(path))


def _read_yaml(path: Path, text: str) -> tuple[ScriptedReply, ...]:
    source = SourceText(text)
    document = read_yaml(text)
    if document.problems:
        raise config_error(
            "\n".join(
                f"{path}:{source.position(problem.start)[0]}: {problem.message}"
                for problem in document.problems
            )
        )
    return parse_replies(document.value, locate=_locator(path, source, document))


def _locator(path: Path, source: SourceText, document: YamlDocument) -> Locate:
    def locate(place: tuple[str | int, ...]) -> str:
        found = document.key_place(place)
        return str(path) if found is None else f"{path}:{source.position(found[0])[0]}"

    return locate
