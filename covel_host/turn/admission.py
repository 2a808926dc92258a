"""Whether a manual request can run at all, and what exactly it names."""

import difflib
from dataclasses import dataclass

from covel_host.base.json_text import JsonValueError, json_copy
from covel_host.catalog.catalog import Catalog, PackageState
from covel_host.catalog.generation import Generation, RuntimeSchemas
from covel_host.manifest.reading import RuntimeReading
from covel_host.manifest.runtime_manifest import RuntimeManifest
from covel_host.runtime.run import SingleCall
from covel_host.turn.errors import RequestRefused
from covel_host.turn.tool_runtime import tool_runtime
from plugin_sdk.values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualRequest:
    """One runtime, started by hand: every trigger gate is bypassed (spec/execution.md 3.2).

    `target` is `<plugin>` for a package with one runtime, or `<plugin>/<runtime>`. `payload` is
    what the runtime is given (`None` for nothing), `message` what the player says with it; under
    `input_message_id` the player may have posted it before. Without `session_id` a new session is
    made. `packages` are further packages that the session gets, such as providers of services. With
    a `call` no runtime runs: the execution is that one call of a tool of the package `target`.
    With `record` what the run takes from outside is recorded (docs/replay.md).
    """

    target: str
    payload: JsonValue = None
    message: str | None = None
    input_message_id: str | None = None
    session_id: str | None = None
    slot: str | None = None
    packages: tuple[str, ...] = ()
    call: SingleCall | None = None
    record: bool = False

    @property
    def plugin_id(self) -> str:
        """The package of the target."""
        return self.target.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Target:
    """What a request names, found and fit to run; `payload` is a copy of the request's.

    For a tool call `runtime` is what stands for one.
    """

    generation: Generation
    runtime: RuntimeReading
    manifest: RuntimeManifest
    schemas: RuntimeSchemas
    payload: JsonValue


def admit(request: ManualRequest, catalog: Catalog) -> Target:
    """The runtime or tool that `request` names.

    Raises:
        RequestRefused: see there; for a package that was not loaded the message holds its first
            problem.
    """
    payload = _storable_payload(request)
    generation = loaded_generation(request.plugin_id, catalog)
    if request.call is None:
        runtime = _runtime(request.target, generation)
    else:
        runtime = tool_runtime(request.call.tool, generation)
    if runtime.manifest is None:
        raise RequestRefused(
            f"The manifest of {runtime.runtime_id!r} could not be read.", code="package-not-loaded"
        )
    schemas = generation.schemas.get(runtime.runtime_id, RuntimeSchemas())
    _check_payload(payload, runtime, schemas)
    return Target(generation, runtime, runtime.manifest, schemas, payload)


def loaded_generation(plugin_id: str, catalog: Catalog) -> Generation:
    """What is loaded of a package.

    Raises:
        RequestRefused: there is no such package, or it is not loaded, with its first problem.
    """
    state = catalog.packages.get(plugin_id)
    if state is None:
        near = difflib.get_close_matches(plugin_id, catalog.packages, n=1)
        raise RequestRefused(
            f"No package {plugin_id!r} was found.",
            code="package-not-found",
            hint=f"Did you mean {near[0]!r}?" if near else "See: covel plugins list",
        )
    if state.generation is None:
        raise _not_loaded(state)
    return state.generation


def _not_loaded(state: PackageState) -> RequestRefused:
    if state.status == "untrusted":
        found = next(found for found in state.diagnostics if found.name == "code-not-trusted")
        return RequestRefused(found.message, code="approval-required", hint=found.hint)
    blocking = [found for found in state.diagnostics if found.blocks_loading]
    first = blocking[0] if blocking else None
    place = "" if first is None else f" {first.file}:{first.line or 1}: {first.message}"
    return RequestRefused(
        f"The package {state.plugin_id!r} was not loaded.{place}",
        code="package-not-loaded",
        hint=(first.hint if first is not None and first.hint else None)
        or f"See: covel plugins show {state.plugin_id}",
    )


def _runtime(target: str, generation: Generation) -> RuntimeReading:
    found = generation.runtime(target)
    if found is not None:
        return found
    known = [runtime.runtime_id for runtime in generation.reading.runtimes]
    if target == generation.plugin_id and len(known) == 1:
        only = generation.runtime(known[0])
        assert only is not None
        return only
    if target == generation.plugin_id and known:
        raise RequestRefused(
            f"The package {target!r} has {len(known)} runtimes; one must be named.",
            code="runtime-ambiguous",
            hint=f"Runtimes: {', '.join(known)}.",
        )
    raise RequestRefused(
        f"The package {generation.plugin_id!r} has no runtime {target!r}."
        if known
        else f"The package {generation.plugin_id!r} has no runtime, so there is nothing to run.",
        code="runtime-not-found",
        hint=f"Runtimes: {', '.join(known)}."
        if known
        else "Run a package that has one, with this one beside it: "
        f"covel run PLUGIN --with {generation.plugin_id}",
    )


def _storable_payload(request: ManualRequest) -> JsonValue:
    """A JSON copy of the payload; refuses at once what could not be stored after the run."""
    try:
        json_copy([request.message, request.input_message_id, request.session_id])
        return json_copy(request.payload)
    except JsonValueError as error:
        raise RequestRefused(
            f"The request cannot be stored as JSON: {error}.", code="payload-invalid"
        ) from error


def _check_payload(payload: JsonValue, runtime: RuntimeReading, schemas: RuntimeSchemas) -> None:
    if schemas.payload is None:
        return
    problems = schemas.payload.problems(payload, limit=5)
    if problems:
        listed = "; ".join(str(problem) for problem in problems)
        raise RequestRefused(
            f"The payload does not fit the payload schema of {runtime.runtime_id!r}: {listed}",
            code="payload-invalid",
            hint="No payload was given; --payload gives one." if payload is None else None,
        )
