"""The result of one run while it comes about, and what the trace is told of it."""

from dataclasses import replace
from typing import Any

from covel_host.runtime.result import ModelUse, RunFailure, RuntimeResult
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.run_status import RunStatus


class RunRecord:
    """Begins when it is made; `use` counts the model calls of the run's own code."""

    def __init__(self, run: RuntimeRun, ports: RunPorts) -> None:
        self._run = run
        self._ports = ports
        self._started = ports.clock.monotonic()
        self.use = ModelUse()

    @property
    def duration_ms(self) -> int:
        """How long the run has taken so far."""
        return round((self._ports.clock.monotonic() - self._started) * 1000)

    @property
    def is_concealed(self) -> bool:
        """Whether what the run does is kept from everybody but hooks and its own row."""
        return self._ports.trace.is_concealed

    def begin(self) -> None:
        """Tell the trace that the runtime itself starts; its guard has let it."""
        run = self._run
        self._ports.trace.add("runtime.started", runtimeId=run.runtime_id, pluginId=run.plugin_id)

    def result(self, status: RunStatus, **members: Any) -> RuntimeResult:
        """The result with `members`, those of `RuntimeResult`; model calls are added up."""
        use = members.pop("model_use", ModelUse())
        return RuntimeResult(
            plugin_id=self._run.plugin_id,
            runtime_id=self._run.runtime_id,
            run_id=self._ports.trace.run_id,
            turn_id=self._run.turn_id,
            status=status,
            duration_ms=self.duration_ms,
            model_use=self.use.merged(use),
            reads=self._run.staging.reads,
            is_concealed=self.is_concealed,
            **_nested_facts(self._run),
            **members,
        )

    def _readable(self, result: RuntimeResult) -> RuntimeResult:
        """The result with sentences that everybody may read: others wrote some of them."""
        redacted, failure = self._ports.trace.redacted, result.failure
        if failure is not None:
            hint = None if failure.hint is None else redacted(failure.hint)
            failure = replace(failure, message=redacted(failure.message), hint=hint)
        elif result.reason is None and not result.warnings:
            return result
        reason = None if result.reason is None else redacted(result.reason)
        warnings = tuple(redacted(warning) for warning in result.warnings)
        return replace(result, failure=failure, reason=reason, warnings=warnings)

    def failed(self, failure: RunFailure, **members: Any) -> RuntimeResult:
        """The result of a run that failed: nothing of what it staged is handed on."""
        return self.result("failed", failure=failure, **members)

    def ended(self, result: RuntimeResult) -> RuntimeResult:
        """`result` with a warning of each failed hook, told to the trace as the run's one end."""
        failed_hooks = self._ports.hooks.failures_told_to(self._ports.trace)
        if failed_hooks:
            result = replace(result, warnings=(*result.warnings, *failed_hooks))
        result = self._readable(result)
        facts: dict[str, object] = {
            "runtimeId": result.runtime_id,
            "pluginId": result.plugin_id,
            "status": result.status,
            "durationMs": result.duration_ms,
        }
        if result.failure is not None:
            facts["error"] = {"code": result.failure.code, "message": result.failure.message}
            self._ports.trace.add("runtime.failed", **facts)
        elif result.status == "skipped":
            self._ports.trace.add("runtime.skipped", reason=result.reason, **facts)
        else:
            self._ports.trace.add("runtime.completed", **facts)
        return result


def _nested_facts(run: RuntimeRun) -> dict[str, Any]:
    nested = run.nested
    if nested is None:
        return {}
    task = nested.task
    return {"nested": nested.kind, "character_id": None if task is None else task.character_id}
