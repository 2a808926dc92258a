"""Asking a player in a terminal: forms field by field, choices, confirmations, suspended runs."""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from covel_host.base.json_text import JsonTextError, dump_json, parse_json
from covel_host.cli.output import one_line
from covel_host.schemas.compiled import SchemaError, compile_schema
from covel_host.turn.answer_fields import Question
from plugin_sdk.interactions import (
    ChoiceInteraction,
    ConfirmationInteraction,
    FormField,
    FormInteraction,
)
from plugin_sdk.rules.form_submission import normalize_submission
from plugin_sdk.rules.forms import check_form_fields
from plugin_sdk.values import JsonObject, JsonValue

LATER: Final = "."
"""The line that leaves a question for later."""

_LEAVES: Final = f"({LATER} leaves it for later)"
_YES: Final = frozenset({"y", "yes", "true", "1", "是", "好", "确认"})
_NO: Final = frozenset({"n", "no", "false", "0", "否", "不", "取消"})
_WIDTH: Final = 200
_NOTICE: Final = 1_000

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
    """Asks one question after the other; `show` gets lines, `ask` gives what is typed.

    What does not fit is asked again at once, with the reason in the language of `locale`.
    """

    def __init__(self, ask: AskLine, show: Callable[[str], object], *, locale: str) -> None:
        self._ask = ask
        self._show = show
        self._locale = locale

    async def answer(
        self,
        question: Question,
        *,
        before: JsonObject | None = None,
        wrong: Collection[str | None] = (),
    ) -> JsonObject:
        """What the player answers, by field; the host checks it.

        `before` is an answer that was refused: the fields that were `wrong` are asked again, all
        of them where it was the answer as a whole (None).

        Raises:
            AskedLater: it is left for later.
        """
        match question:
            case ChoiceInteraction():
                options = [
                    Option(one.id, one.label + (f" ({one.description})" if one.description else ""))
                    for one in question.choices
                ]
                return {"selectedId": await self._choice(f"{question.prompt} {_LEAVES}", options)}
            case ConfirmationInteraction():
                return {"confirmed": await self._confirmation(question)}
        return await self._form(question, before or {}, wrong)

    async def resume_data(self, schema: Mapping[str, Any], *, reason: str) -> JsonValue:
        """What the player answers a run that waits for `reason`; it has to fit `schema`.

        Raises:
            AskedLater: it is left for later.
        """
        self._show(one_line(f"{reason} {_LEAVES}", limit=_NOTICE))
        members = schema.get("properties")
        if not isinstance(members, dict):
            return (await self._member("", schema, schema, is_required=True)).value
        values: JsonObject = {}
        for name, member in members.items():
            form = member if isinstance(member, dict) else {}
            is_required = name in schema.get("required", [])
            given = await self._member(name, form, schema, is_required=is_required)
            if given != _LEFT_OUT:
                values[name] = given.value
        return values

    # --- forms --------------------------------------------------------------------------------

    async def _form(
        self, form: FormInteraction, before: JsonObject, wrong: Collection[str | None]
    ) -> JsonObject:
        self._show(one_line(f"{form.title} {_LEAVES}", limit=_WIDTH))
        if form.notice:
            self._show(one_line(form.notice, limit=_NOTICE))
        names = {field.name for field in form.fields}
        asked_again = names if not names.issuperset(wrong) else wrong or names
        values = dict(before)
        for field in form.fields:
            if field.name in asked_again:
                await self._field(field, values)
        return values

    async def _field(self, field: FormField, values: JsonObject) -> None:
        default = values.get(field.name, field.default_value)
        rule = check_form_fields([field.members()])
        while True:
            given = await self._given(field, default)
            submitted = {} if given is None else {field.name: given}
            issues = normalize_submission(rule, submitted, locale=self._locale).issues
            if not issues:
                break
            for issue in issues:
                self._show(issue.message)
        if given is not None:
            values[field.name] = given

    async def _given(self, field: FormField, default: JsonValue) -> JsonValue:
        """What is typed for a field; `default`, or None without one, for an empty line."""
        label = _label(field)
        if field.type == "select":
            options = [Option(one.value, one.label) for one in field.options or ()]
            return await self._choice(label, options, default=default, may_skip=not field.required)
        if field.type == "checkbox":
            return await self._flag(label, default=default, may_skip=not field.required)
        hint = "" if not field.placeholder else f" ({field.placeholder})"
        hint = hint if default is None else f" [{default}]"
        text = await self._line(one_line(f"{label}{hint}", limit=_WIDTH) + ": ")
        return text or default

    # --- other questions ----------------------------------------------------------------------

    async def _choice(
        self,
        prompt: str,
        options: Sequence[Option],
        *,
        default: JsonValue = None,
        may_skip: bool = False,
    ) -> JsonValue:
        self._show(one_line(prompt, limit=_NOTICE))
        for number, option in enumerate(options, start=1):
            mark = " *" if default is not None and option.value == default else ""
            self._show(f"  {number}. {one_line(option.label, limit=_WIDTH)}{mark}")
        while True:
            text = await self._line("# ")
            if not text and (may_skip or default is not None):
                return default
            for number, option in enumerate(options, start=1):
                if text and text in (str(number), option.value, option.label):
                    return option.value
            self._show(f"Type a number from 1 to {len(options)}.")

    async def _confirmation(self, question: ConfirmationInteraction) -> JsonValue:
        labels = {question.confirm_label: True, question.cancel_label: False}
        hint = f"{question.confirm_label or 'y'}/{question.cancel_label or 'n'}"
        return await self._flag(question.prompt, hint=hint, labels=labels)

    async def _flag(
        self,
        prompt: str,
        *,
        hint: str = "y/n",
        labels: Mapping[str | None, bool] | None = None,
        default: JsonValue = None,
        may_skip: bool = False,
    ) -> JsonValue:
        if isinstance(default, bool):
            hint += ", " + ("y" if default else "n")
        while True:
            text = await self._line(one_line(f"{prompt} [{hint}]", limit=_NOTICE) + " ")
            if labels is not None and text in labels:
                return labels[text]
            if text.lower() in _YES:
                return True
            if text.lower() in _NO:
                return False
            if not text and (may_skip or default is not None):
                return default
            self._show("Type y or n.")

    # --- members of a schema ------------------------------------------------------------------

    async def _member(
        self, name: str, form: Mapping[str, Any], root: Mapping[str, Any], *, is_required: bool
    ) -> "_Given":
        told = str(form.get("title") or form.get("description") or name)
        label = one_line(f"{told}{'*' if is_required and name else ''}", limit=_WIDTH)
        while True:
            given = await self._typed_member(label, form, is_required=is_required)
            problem = None if given == _LEFT_OUT else _problem(given.value, form, root)
            if problem is None:
                return given
            self._show(problem)

    async def _typed_member(
        self, label: str, form: Mapping[str, Any], *, is_required: bool
    ) -> "_Given":
        default, may_skip = form.get("default"), not is_required
        if isinstance(form.get("enum"), list):
            options = [Option(one, _text(one)) for one in form["enum"]]
            picked = await self._choice(label, options, default=default, may_skip=may_skip)
            return _LEFT_OUT if picked is None and None not in form["enum"] else _Given(picked)
        if form.get("type") == "boolean":
            flag = await self._flag(label, default=default, may_skip=may_skip)
            return _LEFT_OUT if flag is None else _Given(flag)
        text = await self._line(
            f"{label}{'' if default is None else f' [{_text(default)}]'}: " if label else "? "
        )
        if text:
            return _Given(text if form.get("type") == "string" else _json_or_text(text))
        if default is not None:
            return _Given(default)
        return _LEFT_OUT if may_skip else _Given("")

    async def _line(self, prompt: str) -> str:
        line = await self._ask(prompt)
        if line is None or line.strip() == LATER:
            raise AskedLater
        return line.strip()


@dataclass(frozen=True, slots=True)
class _Given:
    """A value of a member that was given."""

    value: JsonValue
    is_left_out: bool = False


_LEFT_OUT: Final = _Given(None, is_left_out=True)


def _label(field: FormField) -> str:
    label = field.label + ("*" if field.required else "")
    limits = [f"{name} {value}" for name, value in _limits(field)]
    return f"{label} ({', '.join(limits)})" if limits else label


def _limits(field: FormField) -> Iterator[tuple[str, float]]:
    if field.min is not None:
        yield "from", field.min
    if field.max is not None:
        yield "to", field.max


def _problem(value: JsonValue, form: Mapping[str, Any], root: Mapping[str, Any]) -> str | None:
    """Why the value does not fit its member; None where it does, or only the host can tell."""
    definitions = {name: root[name] for name in ("$defs", "definitions") if name in root}
    try:
        problems = compile_schema({**definitions, **form}).problems(value, limit=1)
    except SchemaError:
        return None
    return str(problems[0]) if problems else None


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else dump_json(value)


def _json_or_text(text: str) -> JsonValue:
    try:
        return parse_json(text)
    except JsonTextError:
        return text
