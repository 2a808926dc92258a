"""The hooks pluggy calls once per generation; an implementation may leave `covel` out.

What the registration hooks return is gathered, compared with `contributes`, and published all or
nothing (spec/decisions.md 3).
"""

from collections.abc import Iterable
from typing import Any

from pluggy import HookspecMarker

from plugin_sdk.actions import Action
from plugin_sdk.context import Registrar
from plugin_sdk.extensions import Extension
from plugin_sdk.forms import FormValidator
from plugin_sdk.names import PLUGGY_PROJECT
from plugin_sdk.services import Service
from plugin_sdk.tools import Tool

hookspec = HookspecMarker(PLUGGY_PROJECT)

# A specification has no body, whatever its implementations return: hence `empty-body` below.


@hookspec
def register_tools(covel: Registrar) -> Iterable[Tool[..., Any]]:  # type: ignore[empty-body]
    """The package's tools, as declared in `contributes.tools`."""


@hookspec
def register_actions(covel: Registrar) -> Iterable[Action[..., Any]]:  # type: ignore[empty-body]
    """The package's RPC actions, as declared in `contributes.actions`."""


@hookspec
def register_services(covel: Registrar) -> Iterable[Service[..., Any]]:  # type: ignore[empty-body]
    """The services it provides, as declared in `contributes.services`."""


@hookspec
def register_form_validators(covel: Registrar) -> Iterable[FormValidator]:  # type: ignore[empty-body]
    """The form validators, as declared in `contributes.forms`."""


@hookspec
def register_datasets(covel: Registrar) -> Iterable[type[Any]]:  # type: ignore[empty-body]
    """Record models of data sets declared without a schema file."""


@hookspec
def register_extensions(covel: Registrar) -> Iterable[Extension[..., Any]]:  # type: ignore[empty-body]
    """The extension implementations, as declared in `contributes.extensions`."""


@hookspec
def register_wires(covel: Registrar) -> Iterable[object]:  # type: ignore[empty-body]
    """Provider adapters, as declared in `contributes.wires`; not served yet."""


@hookspec
def on_load(covel: Registrar) -> None:
    """Takes resources for this generation; `covel.on_dispose` frees them."""


@hookspec
def on_unload(covel: Registrar) -> None:
    """Runs when the last execution of this generation has ended."""
