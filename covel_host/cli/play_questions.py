"""Asking a player in a terminal: forms field by field, choices, confirmations, suspended runs."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from covel_host.cli.output import one_line
from covel_host.turn.answer_fields import Question
from plugin_sdk.interactions import ChoiceInteraction, ConfirmationInteraction, FormField
from plugin_sdk.values import JsonObject, JsonValue

LATER: Final = "."
"""The line that leaves a question for later."""

_YES: Final = frozenset({"y", "yes", "true", "1", "是", "好", "确认"})
_NO: Final = frozenset({"n", "no", "false", "0", "否", "不", "取消"})
_WIDTH: Final = 200

AskLine: TypeAlias = Callable[[str], Awaitable[str | None]]
"""Shows a prompt and gives the line that is typed; None at the end of the input."""


class AskedLater(Exception):
    """The player leaves the question for later, or the input has ended."""


@dataclass(frozen=True, slots=True)
class Option:
    """One of several answers: what is sent, and what is read."""

    value: JsonValue
    label: str


class Asker:
    """Asks one question after the other; `show` gets lines, `ask` gives what is typed."""

    def __init__(self, ask: AskLine, show: Callable[[str], object]) -> None:
        self._ask = ask
        self._show = show

    async def answer(self, question: Question) -> JsonObject:
        """What the player answers, by field; the host checks it.

        Raises:
            AskedLater: it is left for later.
        """
        if isinstance(question, ChoiceInteraction):
            options = [
                Option(one.id, one.label + (f" ({one.description})" if one.description else ""))
                for one in question.choices
            ]
            return {"selectedId": await self._choice(question.prompt, options)}
        if isinstance(question, ConfirmationInteraction):
            hint = f"{question.confirm_label or 'y'}/{question.cancel_label or 'n'}"
            labels = {question.confirm_label: True, question.cancel_label: False}
            return {"confirmed": await self._flag(f"{question.prompt} [{hint}] ", labels)}
        self._show(f"{question.title} ({LATER} leaves it for later)")
        if question.notice:
            self._show(question.notice)
        values: JsonObject = {}
        for field in question.fields:
            await self._field(field, values)
        return values

    async def resume_data(self, schema: Any) -> JsonValue:
        """What the player answers a suspended run, whose answer has to fit `schema`.

        Raises:
            AskedLater: it is left for later.
        """
        members = schema.get("properties")
        if not isinstance(members, dict):
            return _json_or_text(await self._line("? "))
        values: JsonObject = {}
        for name, form in members.items():
            field = _field_of(name, form, is_required=name in schema.get("required", []))
            await self._field(field, values)
        return values

    async def _field(self, field: FormField, values: JsonObject) -> None:
        prompt = _prompt_of(field)
        if field.type == "select":
            options = [Option(one.value, one.label) for one in field.options or ()]
            picked = await self._choice(prompt, options, default=field.default_value)
            if picked is not None:
                values[field.name] = picked
            return
        if field.type == "checkbox":
            default = field.default_value if isinstance(field.default_value, bool) else None
            values[field.name] = await self._flag(f"{prompt} [y/n] ", {}, default=default)
            return
        text = await self._line(f"{prompt}: ")
        if text:
            values[field.name] = _number(text) if field.type == "number" else text

    async def _choice(
        self, prompt: str, options: Sequence[Option], *, default: JsonValue = None
    ) -> JsonValue:
        self._show(f"{prompt} ({LATER} leaves it for later)")
        for number, option in enumerate(options, start=1):
            self._show(one_line(f"  {number}. {option.label}", limit=_WIDTH))
        while True:
            text = await self._line("# ")
            if not text:
                return default
            for number, option in enumerate(options, start=1):
                if text in (str(number), option.value, option.label):
                    return option.value
            self._show(f"Type a number from 1 to {len(options)}.")

    async def _flag(
        self, prompt: str, labels: dict[str | None, bool], *, default: bool | None = None
    ) -> bool:
        while True:
            text = await self._line(prompt)
            if text in labels:
                return labels[text]
            if text.lower() in _YES:
                return True
            if text.lower() in _NO:
                return False
            if not text and default is not None:
                return default
            self._show("Type y or n.")

    async def _line(self, prompt: str) -> str:
        line = await self._ask(prompt)
        if line is None or line.strip() == LATER:
            raise AskedLater
        return line.strip()


def _prompt_of(field: FormField) -> str:
    told = [field.label + ("*" if field.required else "")]
    limits = [f"{name} {value}" for name, value in _limits(field)]
    if limits:
        told.append(f"({', '.join(limits)})")
    if field.default_value is not None:
        told.append(f"[{field.default_value}]")
    elif field.placeholder:
        told.append(f"({field.placeholder})")
    return one_line(" ".join(told), limit=_WIDTH)


def _limits(field: FormField) -> Iterator[tuple[str, float]]:
    if field.min is not None:
        yield "from", field.min
    if field.max is not None:
        yield "to", field.max


def _field_of(name: str, form: Any, *, is_required: bool) -> FormField:
    """A member of a resume schema as a field of a form."""
    given: dict[str, Any] = {
        "name": name,
        "label": str(form.get("title", name)),
        "required": is_required,
        "default_value": form.get("default"),
        "type": "text",
    }
    kind = form.get("type")
    if isinstance(form.get("enum"), list):
        given["type"] = "select"
        given["options"] = [{"value": str(one), "label": str(one)} for one in form["enum"]]
    elif kind == "boolean":
        given["type"] = "checkbox"
    elif kind in ("number", "integer"):
        given |= {"type": "number", "min": form.get("minimum"), "max": form.get("maximum")}
    return FormField.model_validate(given)


def _number(text: str) -> JsonValue:
    """The number that was typed; any other text is for the host to refuse."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def _json_or_text(text: str) -> JsonValue:
    from covel_host.base.json_text import JsonTextError, parse_json

    try:
        return parse_json(text)
    except JsonTextError:
        return text
