"""The agent loop: ask, run the calls, feed the results back, obey the completion rules."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from covel_host.base.json_text import JsonTextError, parse_json
from covel_host.models.messages import (
    AssistantMessage,
    ModelCall,
    ModelReply,
    ToolMessage,
    UserMessage,
)
from covel_host.runtime.agent_calls import AgentCalls, AnsweredCall
from covel_host.runtime.agent_model import AgentModel
from covel_host.runtime.completion import advance
from covel_host.runtime.completion_settings import CompletionSettings
from covel_host.runtime.completion_state import (
    CompletionState,
    Continue,
    Correct,
    Decision,
    DraftRejected,
    Fail,
    Finish,
    OutputRejected,
    Replied,
    Suspend,
)
from covel_host.runtime.interjections import Interjection
from covel_host.runtime.loop_tools import SUSPEND
from covel_host.runtime.prompt_inputs import PromptMessage, PromptParts
from covel_host.runtime.reply_hooks import ReviewedReply, reviewed_reply
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.shown_text import ShownText
from covel_host.runtime.suspension import (
    AgentScene,
    ResumedRun,
    prompt_messages,
    scene_messages,
)
from covel_host.tools.calls import ToolCallResult
from covel_host.tools.envelope import answer_envelope
from plugin_sdk.values import JsonValue

_ANSWER = "The player's answer."
_REJECTED = "A hook rejected the reply that made this call; it was not executed."


@dataclass(frozen=True, slots=True)
class LoopEnd:
    """How the loop ended: `value` is the output's value, None where there is none."""

    decision: Finish | Fail | Suspend
    value: JsonValue = None


class AgentLoop:
    """One run's loop; `play` is called once, `steps` counts the replies it took.

    `heard` are the player's interjections that the model was told.
    """

    def __init__(
        self,
        run: RuntimeRun,
        ports: RunPorts,
        settings: CompletionSettings,
        model: AgentModel,
        calls: AgentCalls,
        shown: ShownText,
    ) -> None:
        self._run = run
        self._ports = ports
        self._settings = settings
        self.model = model
        self.calls = calls
        self._shown = shown
        self.heard: tuple[Interjection, ...] = ()
        self._transcript: list[PromptMessage] = []
        self._state = CompletionState()
        self.steps = 0
        self._completed: JsonValue = None
        self._prompt = PromptParts("", ())

    async def play(self, prompt: PromptParts) -> LoopEnd:
        """Ask and answer until the rules say that the run ends.

        Raises:
            ModelError, ReplyCutOff, PromptTooLarge: there is no usable reply.
        """
        self._prompt = prompt
        try:
            return await self._play(prompt)
        finally:
            if self._ports.interjections is not None:
                self._ports.interjections.close()

    async def resume(self, resumed: ResumedRun) -> LoopEnd:
        """Go on where the loop was suspended, with the answer as the result of that call.

        Raises:
            ModelError, ReplyCutOff, PromptTooLarge: as `play`.
        """
        scene = resumed.scene.agent
        assert scene is not None, "the scene of an agent holds its loop"
        self._state, self.steps, self.heard = scene.state, scene.steps, scene.heard
        self._completed = scene.completing_value
        if self.model.tools.search is not None:
            self.model.tools.search.load(scene.activated)
        self._transcript = _answered(prompt_messages(scene.transcript), scene.call_id, resumed.data)
        for text in scene.state.prose:
            await self._ports.on_text(text, False)
            await self._shown.keep(text)
        return await self.play(PromptParts(scene.system, prompt_messages(scene.prompt)))

    def scene(self, call_id: str) -> AgentScene:
        """The loop as the call that suspended it has left it."""
        search = self.model.tools.search
        return AgentScene(
            system=self._prompt.system,
            prompt=scene_messages(self._prompt.messages),
            transcript=scene_messages(tuple(self._transcript)),
            state=self._state,
            call_id=call_id,
            steps=self.steps,
            requested=self.calls.requested,
            completing_value=self._completing_value(self._state.completing_call_id),
            activated=() if search is None else tuple(tool.name for tool in search.loaded),
            segments=self.model.planning.segments,
            heard=self.heard,
        )

    async def _play(self, prompt: PromptParts) -> LoopEnd:
        choice = self._state.forced or self._settings.tool_choice
        while True:
            self._hear()
            self.model.tools.offer(choice)
            reviewed = await self._reviewed(await self.model.ask(prompt, self._transcript, choice))
            reply = reviewed.reply
            self.steps += 1
            event = await self._taken(reviewed)
            # From here to the end nothing is awaited: what comes later is not accepted any more.
            kept = self._state.prose
            self._state, decision = advance(self._settings, self._state, event)
            decision, value = self._checked(decision)
            if isinstance(decision, (Finish, Fail, Suspend)):
                return LoopEnd(decision, value)
            choice = decision.tool_choice
            if self._state.prose != kept:
                await self._shown.keep(self._state.prose[-1])
            else:
                await self._go_on(decision, reply)

    def _hear(self) -> None:
        """Tell the model what the player has added; it belongs to the present turn."""
        queue = self._ports.interjections
        taken = () if queue is None else queue.take()
        for interjection in taken:
            self._say(UserMessage(interjection.text))
        self.heard += taken

    async def _reviewed(self, reply: ModelReply) -> ReviewedReply:
        assert self.model.sent is not None
        return await reviewed_reply(self._run, self._ports, reply, self.model.sent)

    async def _taken(self, reviewed: ReviewedReply) -> Replied | DraftRejected:
        """The reply in the transcript, each of its calls with a result."""
        reply = reviewed.reply
        if reviewed.correction is not None:
            self._remember(reply, self.calls.skip(reply.calls, _REJECTED))
            return DraftRejected(reviewed.correction)
        answered = await self.calls.answer(reply.calls, self._state)
        self._remember(reply, answered)
        return Replied(
            text=reply.text,
            calls=tuple(call.outcome for call in answered),
            ended_by_hook=self.calls.is_ended_by_hook,
            interjection_waiting=bool(self._ports.interjections),
        )

    def _remember(self, reply: ModelReply, answered: Sequence[AnsweredCall]) -> None:
        calls = tuple(
            _as_made(call, done.result) for call, done in zip(reply.calls, answered, strict=True)
        )
        if reply.text or calls:
            self._say(AssistantMessage(reply.text, calls, reply.continuation))
        for done in answered:
            request = done.result.request
            self.model.traced.answered(done.result)
            self._say(ToolMessage(request.call_id, request.name, done.result.envelope))

    async def _go_on(self, decision: Continue | Correct, reply: ModelReply) -> None:
        if reply.text:
            # What was shown is a draft: the run goes on and its final text comes later.
            await self._ports.on_text("", True)
        text = decision.text if isinstance(decision, Correct) else decision.note
        if text:
            self._say(UserMessage(text))

    def _checked(self, decision: Decision) -> tuple[Decision, JsonValue]:
        """The decision with the output's value; an output that breaks its schema is rejected."""
        if not isinstance(decision, Finish):
            return decision, None
        value, problem = self._value(decision)
        if problem is None:
            return decision, value
        self._state, rejected = advance(self._settings, self._state, OutputRejected(problem))
        return rejected, None

    def _value(self, finish: Finish) -> tuple[JsonValue, str | None]:
        if finish.output == "none":
            return None, None
        value: JsonValue = finish.text
        if finish.output == "tool":
            value = self._completing_value(finish.call_id)
        return self._against_schema(value, is_text=finish.output == "text")

    def _completing_value(self, call_id: str | None) -> JsonValue:
        """What the completing call gave; it may have been made before a suspension."""
        return next(
            (
                done.content
                for done in reversed(self.calls.done)
                # A provider may give several calls one ID.
                if done.request.call_id == call_id
                and done.request.name == self._state.completing_tool
                and done.error is None
            ),
            self._completed,
        )

    def _against_schema(self, value: JsonValue, *, is_text: bool) -> tuple[JsonValue, str | None]:
        schema = self._run.output_schema
        # A story is checked as prose, not against a private schema (spec/execution.md 5.8).
        if schema is None or self._settings.is_story:
            return value, None
        if is_text:
            try:
                value = parse_json(str(value))
            except JsonTextError as error:
                return None, f"The reply is not JSON: {error}"
        problems = schema.problems(value, limit=3)
        return value, "; ".join(str(problem) for problem in problems) or None

    def _say(self, message: AssistantMessage | ToolMessage | UserMessage) -> None:
        self._transcript.append(PromptMessage(message, "transcript"))


def _answered(
    transcript: Sequence[PromptMessage], call_id: str, data: JsonValue
) -> list[PromptMessage]:
    """The exchange with the player's answer where the placeholder of `suspend` stood.

    The last one of that ID: a provider may use one twice.
    """
    answered = list(transcript)
    for place in reversed(range(len(answered))):
        message = answered[place].message
        if isinstance(message, ToolMessage) and (
            (message.call_id, message.tool_name) == (call_id, SUSPEND)
        ):
            told = replace(message, text=answer_envelope(_ANSWER, data))
            answered[place] = replace(answered[place], message=told)
            break
    return answered


def _as_made(call: ModelCall, result: ToolCallResult) -> ModelCall:
    """The call as the history keeps it: with the final name and arguments that are JSON."""
    name, arguments = result.request.name, result.history_arguments
    if (call.name, call.arguments) == (name, arguments):
        return call
    return replace(call, name=name, arguments=arguments)
