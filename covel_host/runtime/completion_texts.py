"""What the loop tells a model that ended too early, in English and Chinese.

Instruction texts exist in exactly these two languages (spec/i18n.md 3); tool results and errors
are always English and never come from here.
"""

from collections.abc import Sequence

from plugin_sdk.rules.instruction_locale import InstructionLocale


def needs_tool_text(locale: InstructionLocale, tools: Sequence[str]) -> str:
    """The correction for an ending without the required business call; `tools` that would count."""
    if locale == "zh":
        which = f"成功调用 {_names(tools, '或')}" if tools else "至少成功调用一次业务工具"
        return (
            f"[框架] 任务还没有完成：必须{which}，只写文字或结束信号不算。"
            "没有变化时，也要用该工具提交空的结果。现在就调用。"
        )
    which = (
        f"a successful call of {_names(tools, 'or')}"
        if tools
        else ("at least one successful call of a business tool")
    )
    return (
        f"[framework] The task is not finished: it needs {which}; text or an end signal alone "
        "does not count. If nothing changed, submit an empty result through the tool. "
        "Make the call now."
    )


def needs_explicit_end_text(locale: InstructionLocale, tools: Sequence[str]) -> str:
    """The correction for a plain text where the run has to be ended by a call."""
    enders = [*tools, "runtime-done"]
    if locale == "zh":
        return f"[框架] 文字不能结束任务。全部完成后，请调用 {_names(enders, '或')}。"
    return (
        "[framework] Text does not end this task. When everything is done, call "
        f"{_names(enders, 'or')}."
    )


def unresolved_calls_text(locale: InstructionLocale, tools: Sequence[str]) -> str:
    """The correction for a `runtime-done` while calls of `tools` are failed and not made good."""
    if locale == "zh":
        return (
            f"[框架] 还不能结束：{_names(tools, '和')} 的调用失败了。"
            "按错误信息改正后重新调用，成功之后再结束。"
        )
    return (
        f"[framework] The task cannot end yet: calls of {_names(tools, 'and')} failed. Correct "
        "them as their errors say, call again, and end after they succeed."
    )


def output_schema_text(locale: InstructionLocale, problem: str, completing_tool: str | None) -> str:
    """The correction for an output that breaks the output schema; `problem` is English."""
    if locale == "zh":
        how = (
            f"请重新调用 `{completing_tool}`，给出改正后的参数。"
            if completing_tool
            else "请只回复一个符合格式的 JSON 值，不要其他文字。"
        )
        return f"[框架] 输出不符合要求的格式：{problem} {how}"
    how = (
        f"Call `{completing_tool}` again with corrected arguments."
        if completing_tool
        else "Reply with one JSON value of the required form and nothing else."
    )
    return f"[framework] The output does not have the required form: {problem} {how}"


def prose_text(locale: InstructionLocale) -> str:
    """The correction and the note that ask a story runtime for its prose."""
    if locale == "zh":
        return "[框架] 这里以正文结束。现在直接写出故事正文，不要调用工具，也不要说明。"
    return (
        "[framework] This task ends with the story text itself. Write the prose now, without "
        "calling a tool and without comments."
    )


def _names(tools: Sequence[str], joint: str) -> str:
    quoted = [f"`{tool}`" for tool in tools]
    if len(quoted) < 2:
        return "".join(quoted)
    separator, spaced = ("、", f" {joint} ") if joint in ("或", "和") else (", ", f" {joint} ")
    return separator.join(quoted[:-1]) + spaced + quoted[-1]
