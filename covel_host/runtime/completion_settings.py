"""What a runtime's manifest says about how it ends, as facts for the completion rules.

Spec/execution.md 5.1, 5.7; seed: ToolExecutor (授权).
"""

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from covel_host.manifest.runtime_io import Visibility
from covel_host.models.messages import NamedTool, ToolChoice
from plugin_sdk.rules.instruction_locale import InstructionLocale

Require: TypeAlias = Literal["explicit", "tool-use"]
CorrectionKind: TypeAlias = Literal["tool_use", "output_schema", "prose", "draft_review"]
ConventionWording: TypeAlias = Literal["output", "prose", "runtime-done"]


@dataclass(frozen=True, slots=True)
class Corrections:
    """One number per kind of correction: limits in the settings, spent ones in the state.

    The defaults are the limits of `agent.loop.corrections` (spec/decisions.md 2).
    """

    tool_use: int = 1
    output_schema: int = 1
    prose: int = 1
    draft_review: int = 2

    @property
    def total(self) -> int:
        return self.tool_use + self.output_schema + self.prose + self.draft_review


NO_CORRECTIONS = Corrections(tool_use=0, output_schema=0, prose=0, draft_review=0)


@dataclass(frozen=True, slots=True)
class CompletionSettings:
    """How one agent runtime may end; every field is the manifest's value or its default.

    `tool_choice` is `agent.llm.toolChoice`; `loop_detection` the number of identical calls that
    count as a loop, 0 for never; `locale` the instruction language of correction texts.
    """

    visibility: Visibility = "plugin"
    require: Require | None = None
    after_tools: tuple[str, ...] = ()
    tool_choice: ToolChoice = "auto"
    has_output_schema: bool = False
    corrections: Corrections = field(default_factory=Corrections)
    max_steps: int = 20
    loop_detection: int = 3
    locale: InstructionLocale = "en"

    @property
    def is_story(self) -> bool:
        return self.visibility == "story"

    @property
    def needs_completing_tool(self) -> bool:
        """Only a success of a listed tool can satisfy the contract."""
        return self.require == "tool-use" and bool(self.after_tools)

    @property
    def authorizes_runtime_done(self) -> bool:
        """Whether `runtime-done` may run without being listed under `tools.builtin`.

        A story runtime may call it, though it is not offered; a runtime that must end through a
        completing tool may not (seed: ToolExecutor, 授权).
        """
        return self.is_story or not self.needs_completing_tool

    @property
    def convention(self) -> ConventionWording:
        """Which wording of the completion convention the preamble gives this runtime."""
        if self.is_story:
            return "prose"
        return "output" if self.has_output_schema or self.needs_completing_tool else "runtime-done"


def with_finish_with(settings: CompletionSettings, tool: str) -> CompletionSettings:
    """`settings` with `agent.finishWith: <tool>` spelled out (spec/decisions.md 2).

    The tool is forced in every step, `tool-use` is required, and only that tool ends the run.
    """
    return replace(settings, require="tool-use", after_tools=(tool,), tool_choice=NamedTool(tool))
