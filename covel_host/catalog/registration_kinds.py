"""The kinds of things an entry registers: one row each (spec/decisions.md 3)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from covel_host.manifest.contributions import Contributions
from plugin_sdk.actions import Action
from plugin_sdk.datasets import DataSet, dataset_of
from plugin_sdk.extensions import Extension
from plugin_sdk.forms import FormValidator
from plugin_sdk.names import FRAMEWORK_TOOL_NAMES, is_reserved_action
from plugin_sdk.services import Service
from plugin_sdk.tools import Tool

FieldPath: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrationKind:
    """What one registration hook returns, and how it is compared with the manifest.

    `member` is the group of `contributes`. `made` gives the SDK object of an item, `None` for an
    item that is none; `name` is unique in the package, `declared_name` is what the manifest lists.
    `declared` gives what has to be registered, with its place below `contributes.<member>`.
    `conflict` says how a registered object contradicts its declaration.
    """

    hook: str
    member: str
    noun: str
    decorator: str
    made: Callable[[object], Any]
    name: Callable[[Any], str]
    declared_name: Callable[[Any], str]
    declared: Callable[[Contributions], Mapping[str, FieldPath]]
    source: Callable[[Any], object]
    is_reserved: Callable[[str], bool] = lambda name: False
    conflict: Callable[[Contributions, Any], str | None] = lambda contributes, made: None
    declared_note: str = ""


def extension_key(point: str, extension_id: str) -> str:
    """The name of an extension in its package: an ID is unique per point only."""
    return f"{point}/{extension_id}"


def _of(kind: type[Any]) -> Callable[[object], Any]:
    return lambda item: item if isinstance(item, kind) else None


def _listed(member: str) -> Callable[[Contributions], Mapping[str, FieldPath]]:
    """The places of a plain list of names."""
    return lambda contributes: {
        name: (index,) for index, name in enumerate(getattr(contributes, member))
    }


def _extensions(contributes: Contributions) -> Mapping[str, FieldPath]:
    return {
        extension_key(each.point, each.id): (index,)
        for index, each in enumerate(contributes.extensions)
    }


def _modelled_datasets(contributes: Contributions) -> Mapping[str, FieldPath]:
    """The data sets whose record shape the entry has to bring."""
    return {
        name: (name,) for name, each in contributes.datasets.items() if each.schema_path is None
    }


def _order_conflict(contributes: Contributions, made: Extension[..., Any]) -> str | None:
    for each in contributes.extensions:
        if (each.point, each.id) == (made.point, made.id) and made.order not in (0, each.order):
            return (
                f"has the order {made.order} here and {each.order} in `contributes.extensions`; "
                "the manifest decides, so write the same or leave it out here"
            )
    return None


def _schema_conflict(contributes: Contributions, made: DataSet) -> str | None:
    declared = contributes.datasets.get(made.name)
    if declared is None or declared.schema_path is None:
        return None
    return (
        f"has the schema file {declared.schema_path!r} in `contributes.datasets` and a model here; "
        "keep one of the two"
    )


KINDS: Final[tuple[RegistrationKind, ...]] = (
    RegistrationKind(
        hook="register_tools",
        member="tools",
        noun="tool",
        decorator="@tool",
        made=_of(Tool),
        name=lambda made: made.name,
        declared_name=lambda made: made.name,
        declared=_listed("tools"),
        source=lambda made: made.function,
        is_reserved=lambda name: name in FRAMEWORK_TOOL_NAMES,
    ),
    RegistrationKind(
        hook="register_actions",
        member="actions",
        noun="RPC action",
        decorator="@action",
        made=_of(Action),
        name=lambda made: made.name,
        declared_name=lambda made: made.name,
        declared=_listed("actions"),
        source=lambda made: made.function,
        is_reserved=is_reserved_action,
    ),
    RegistrationKind(
        hook="register_services",
        member="services",
        noun="service",
        decorator="@service",
        made=_of(Service),
        name=lambda made: made.name,
        # Several services may serve one contract (spec/manifest.md 10.4, discover).
        declared_name=lambda made: made.contract,
        declared=_listed("services"),
        source=lambda made: made.function,
    ),
    RegistrationKind(
        hook="register_form_validators",
        member="forms",
        noun="form validator",
        decorator="@form_validator",
        made=_of(FormValidator),
        name=lambda made: made.name,
        declared_name=lambda made: made.name,
        declared=_listed("forms"),
        source=lambda made: made.function,
    ),
    RegistrationKind(
        hook="register_datasets",
        member="datasets",
        noun="data set model",
        decorator="@dataset",
        made=dataset_of,
        name=lambda made: made.name,
        declared_name=lambda made: made.name,
        declared=_modelled_datasets,
        source=lambda made: made.model,
        conflict=_schema_conflict,
        declared_note=" without a schema",
    ),
    RegistrationKind(
        hook="register_extensions",
        member="extensions",
        noun="extension",
        decorator="@extension",
        made=_of(Extension),
        name=lambda made: extension_key(made.point, made.id),
        declared_name=lambda made: extension_key(made.point, made.id),
        declared=_extensions,
        source=lambda made: made.function,
        conflict=_order_conflict,
    ),
)
"""Every kind whose objects the SDK makes; wires have no class yet."""
