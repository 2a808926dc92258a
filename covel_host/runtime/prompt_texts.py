"""Framework sentences of a prompt in both instruction languages, and how texts are injected."""

from covel_host.base.json_text import dump_json
from plugin_sdk.rules.instruction_locale import InstructionLocale

_SENTENCES: dict[str, dict[InstructionLocale, str]] = {
    "opening": {
        "en": "[framework] Carry out your task now.",
        "zh": "[框架] 现在执行你的任务。",
    },
    "story-ends-here": {
        "en": "[framework] The story of this turn stops here. It is already written; "
        "do not continue or repeat it. Carry out your own task on it.",
        "zh": "[框架] 本回合的故事到此为止，已经写定；不要续写或重复。请针对它完成你自己的任务。",
    },
    "story-pointer": {
        "en": "The story text of this turn; it stands in the conversation as the last "
        "assistant message before the framework's note.",
        "zh": "本回合的故事正文；它在对话里，是框架说明之前的最后一条助手消息。",
    },
    "summaries": {
        "en": "[framework] Summaries of earlier turns follow; the oldest may be missing.",
        "zh": "[框架] 以下是更早回合的摘要；最早的部分可能缺失。",
    },
    "cut-off": {
        "en": "[framework] Your last reply was cut off at the output limit and was not used. "
        "Reply again, shorter.",
        "zh": "[框架] 你上一条回复超出输出上限而被截断，没有采用。请更简短地重新回复。",
    },
    "nothing": {"en": "(nothing yet)", "zh": "（暂无）"},
    "emitting": {
        "en": "Events you may emit with `emit-event`; its definition holds the topics and the "
        "form of their data.",
        "zh": "可以用 `emit-event` 发出的事件；topic 和 data 的格式见该工具的定义。",
    },
}


def sentence(name: str, locale: InstructionLocale) -> str:
    """The framework's sentence of that name in the instruction language."""
    return _SENTENCES[name][locale]


def tagged(tag: str, content: str) -> str:
    """`content` on lines of its own between an opening and a closing `tag`."""
    return f"<{tag}>\n{content}\n</{tag}>"


def escape_text(text: str) -> str:
    """Injected text that can neither open nor close a block of the prompt."""
    return text.replace("<", "&lt;")


def escaped_json(value: object) -> str:
    """Compact JSON of an injected value; it stays valid JSON and holds no `<`."""
    return dump_json(value).replace("<", "\\u003c")


def cut(text: str, limit: int) -> str:
    """`text`, or its start with `…` as the last of `limit` characters (spec/decisions.md 5)."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
