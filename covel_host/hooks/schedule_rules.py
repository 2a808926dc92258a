"""What a hook may change before the runtimes of a turn run (spec/manifest.md 10.5, PreSchedule)."""

from covel_host.hooks.refusals import ReplacementRefused, json_list
from plugin_sdk.hook_events import Schedule


def replaced_triggered(payload: Schedule, value: object) -> tuple[str, ...]:
    """The triggered runtimes that `value` names, in its order.

    A hook drops and reorders, matched by name: it cannot add one, so names that were not triggered
    and repetitions count for nothing.

    Raises:
        ReplacementRefused: `value` is no list of texts.
    """
    wanted = json_list(value, member="triggered")
    for index, name in enumerate(wanted):
        if not isinstance(name, str):
            raise ReplacementRefused(
                f"'triggered.{index}' is {name!r:.80}; it must be the ID of a triggered runtime."
            )
    triggered = frozenset(payload.triggered)
    return tuple(str(name) for name in dict.fromkeys(map(str, wanted)) if name in triggered)
