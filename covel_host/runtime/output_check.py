"""The checks of a run's value against the runtime's own schema and its published contract."""

from typing import Final

from covel_host.base.errors import HostError
from covel_host.runtime.run import RuntimeRun
from covel_host.schemas.compiled import CompiledSchema
from plugin_sdk.values import JsonValue

_SHOWN: Final = 3


class OutputInvalid(HostError):
    """The output does not fit a schema; nothing of the run is written."""

    def __init__(self, runtime_id: str, schema: str, problem: str) -> None:
        super().__init__(
            f"The output of {runtime_id!r} does not fit {schema}: {problem}",
            code="output-schema-invalid",
        )


def check_output(run: RuntimeRun, value: JsonValue, *, has_value: bool) -> None:
    """Refuse an output that breaks the runtime's output schema or its published contract.

    Without a schema everything fits.

    Raises:
        OutputInvalid: the first three problems are named.
    """
    _check(run, run.output_schema, "its output schema", value, has_value=has_value)
    check_contract(run, value, has_value=has_value)


def check_contract(run: RuntimeRun, value: JsonValue, *, has_value: bool) -> None:
    """Refuse an output that breaks the published contract (spec/manifest.md 12.2).

    Raises:
        OutputInvalid: as above.
    """
    name = f"the contract {run.manifest.io.output.contract!r}"
    _check(run, run.contract_schema, name, value, has_value=has_value)


def _check(
    run: RuntimeRun,
    schema: CompiledSchema | None,
    name: str,
    value: JsonValue,
    *,
    has_value: bool,
) -> None:
    if schema is None:
        return
    if not has_value:
        raise OutputInvalid(run.runtime_id, name, "No value was given.")
    problems = schema.problems(value, limit=_SHOWN)
    if problems:
        listed = "; ".join(str(problem) for problem in problems)
        raise OutputInvalid(run.runtime_id, name, listed)
