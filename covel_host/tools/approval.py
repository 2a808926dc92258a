"""Which tools may be called at all: static rules, the host's own before the defaults.

Seed: 审批策略. Whether a package's code may run is another matter and decided before
(`catalog.trust`).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from plugin_sdk.names import TOOL_NAME_PATTERN

if TYPE_CHECKING:
    # Settings hold rules, and every command reads settings.
    from covel_host.tools.registry import ToolSource

ApprovalStatus: TypeAlias = Literal["auto-allowed", "denied"]
"""What the audit says of a call that rules have decided."""

_RULE: Final = re.compile(
    rf"(?P<effect>allow|deny)\s+(?P<subject>builtin:\*|local:\*|{TOOL_NAME_PATTERN})"
)


class RuleUnreadable(ValueError):
    """A text that is no rule; the message says what one looks like."""


@dataclass(frozen=True, slots=True)
class ApprovalRule:
    """Allows or denies one tool by its name, whatever its source, or all tools of a source.

    `subject` is a tool's name, `builtin:*` for the framework's tools, or `local:*` for those of
    packages: of their entries, data sets and imported services.
    """

    effect: Literal["allow", "deny"]
    subject: str

    def fits(self, tool_name: str, source: "ToolSource") -> bool:
        """Whether the rule is about that tool."""
        of_source = "builtin:*" if source == "builtin" else "local:*"
        return self.subject in (tool_name, of_source)


DEFAULT_RULES: Final = (ApprovalRule("allow", "builtin:*"), ApprovalRule("allow", "local:*"))
"""Every registered tool that a runtime is authorized for may be called."""


class ApprovalPolicy:
    """Decides by the first rule that fits; `rules` come before the defaults, in their order."""

    def __init__(self, rules: Iterable[ApprovalRule] = ()) -> None:
        self._own = tuple(rules)
        self._rules = (*self._own, *DEFAULT_RULES)

    def status(self, tool_name: str, source: "ToolSource") -> ApprovalStatus:
        """Whether a resolved tool may be called; where no rule fits, it may."""
        if not self._own:
            # The defaults alone allow whatever was resolved.
            return "auto-allowed"
        for rule in self._rules:
            if rule.fits(tool_name, source):
                return "auto-allowed" if rule.effect == "allow" else "denied"
        return "auto-allowed"


def parse_rule(text: str) -> ApprovalRule:
    """The rule that a text such as `deny render-ui` or `allow local:*` states.

    Raises:
        RuleUnreadable: it states none.
    """
    found = _RULE.fullmatch(text.strip())
    if found is None:
        raise RuleUnreadable(
            f"{text!r} is no rule. A rule is 'allow' or 'deny' and then the name of a tool, "
            "'builtin:*' or 'local:*', such as 'deny render-ui'."
        )
    effect: Literal["allow", "deny"] = "allow" if found["effect"] == "allow" else "deny"
    return ApprovalRule(effect, found["subject"])
