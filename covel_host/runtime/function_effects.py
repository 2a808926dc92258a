"""The effects of a function runtime as proposals, in the order of the channels.

Nothing in a run's value has an effect, only these channels have (spec/manifest.md 12.3).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from covel_host.base.errors import HostError
from covel_host.tools.builtin.create_notification import alert_block
from plugin_sdk.interactions import (
    ChoiceInteraction,
    ConfirmationInteraction,
    FormInteraction,
    Interaction,
)
from plugin_sdk.outcomes import Effects, Event, JobStatus, Notification
from plugin_sdk.proposals import AssetGenerate, PluginData, Proposal, UiRender

ProposalSource: TypeAlias = Proposal | dict[str, object]


class EffectsInvalid(HostError):
    """A channel of the effects has the wrong shape; `path` names it, such as `effects.ui.0`."""

    def __init__(self, path: str, problem: str, *, hint: str | None = None) -> None:
        super().__init__(f"`{path}`: {problem}", code="output-schema-invalid", hint=hint)
        self.path = path


@dataclass(frozen=True, slots=True)
class Effect:
    """One entry of a channel, as a proposal; `path` says where it stood."""

    path: str
    proposal: ProposalSource


def effect_proposals(effects: Effects) -> Iterator[Effect]:
    """Every proposal that `effects` ask for; all types are checked before the first is given.

    Events become `event.emit`, questions `interaction.request`, notifications a `ui.render` with an
    `Alert`. Payloads are checked when they are staged.

    Raises:
        EffectsInvalid: a channel is no list, or an entry is not of the channel's type.
    """
    checked = [
        (channel, list(_entries(effects, channel, types))) for channel, types, _ in _CHANNELS
    ]
    for (channel, entries), (_, _, proposal_of) in zip(checked, _CHANNELS, strict=True):
        for index, entry in enumerate(entries):
            yield Effect(f"effects.{channel}.{index}", proposal_of(entry, index))


def refused_channels(effects: Effects) -> list[str]:
    """The channels in use of those that a skipped or failed run may not have."""
    return [channel for channel, _, _ in _CHANNELS if getattr(effects, channel)]


def diagnostics(effects: Effects) -> tuple[str, ...]:
    """The sentences for the author.

    Raises:
        EffectsInvalid: one of them is no text.
    """
    return tuple(_entries(effects, "diagnostics", (str,)))


def job_reports(effects: Effects) -> tuple[JobStatus, ...]:
    """The reports on background work.

    Raises:
        EffectsInvalid: one of them is no report.
    """
    return tuple(_entries(effects, "job_status", (JobStatus,)))


def _entries(effects: Effects, channel: str, types: tuple[type, ...]) -> Iterator[Any]:
    entries = getattr(effects, channel)
    path = f"effects.{channel}"
    if not isinstance(entries, Sequence) or isinstance(entries, (str, bytes)):
        raise EffectsInvalid(path, f"a list was expected, not a {type(entries).__name__!r}.")
    expected = " or ".join(kind.__name__ for kind in types)
    for index, entry in enumerate(entries):
        if not isinstance(entry, types):
            raise EffectsInvalid(
                f"{path}.{index}",
                f"{expected} was expected, not a {type(entry).__name__!r}.",
                hint="Build effects with the classes of plugin_sdk.",
            )
        yield entry


def _event(event: Event, _: int) -> ProposalSource:
    return {"type": "event.emit", "payload": {"topic": event.topic, "data": event.data}}


def _question(interaction: Interaction, _: int) -> ProposalSource:
    payload = {"interaction": interaction.members()}
    return {"type": "interaction.request", "payload": payload}


def _notification(notice: Notification, index: int) -> ProposalSource:
    texts = (notice.level, notice.title, notice.message)
    if notice.level not in _LEVELS or not all(isinstance(text, str) for text in texts):
        raise EffectsInvalid(
            f"effects.notifications.{index}",
            f"the level is one of {', '.join(_LEVELS)}, title and message are texts.",
        )
    block = alert_block(*texts, part_id=f"notification-{index + 1}")
    return {"type": "ui.render", "payload": block}


def _as_it_is(proposal: Proposal, _: int) -> ProposalSource:
    return proposal


_LEVELS: Final = ("info", "success", "warning", "error")
_QUESTIONS: Final = (FormInteraction, ChoiceInteraction, ConfirmationInteraction)
_CHANNELS: Final[tuple[tuple[str, tuple[type, ...], Callable[[Any, int], ProposalSource]], ...]] = (
    ("events", (Event,), _event),
    ("interactions", _QUESTIONS, _question),
    ("ui", (UiRender,), _as_it_is),
    ("asset_generations", (AssetGenerate,), _as_it_is),
    ("plugin_data", (PluginData,), _as_it_is),
    ("proposals", (Proposal,), _as_it_is),
    ("notifications", (Notification,), _notification),
)
"""Channel, what its entries are, and how one becomes a proposal."""
