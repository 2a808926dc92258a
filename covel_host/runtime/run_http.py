"""`ctx.http` of guards, handlers and services (spec/manifest.md 12.4)."""

from covel_host.catalog.http_permissions import runtime_policy
from covel_host.net.client import Policy
from covel_host.net.package_http import PackageHttp
from covel_host.net.policy import NO_HTTP, BothPolicies, HttpPolicy
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.run import RunPorts, RuntimeRun


def run_http(run: RuntimeRun, ports: RunPorts, life: CallLife) -> PackageHttp:
    """Requests of the run's own code: to what its runtime declares."""
    return _http(_own(run), ports, life)


def service_http(
    run: RuntimeRun, ports: RunPorts, life: CallLife, *, plugin_id: str
) -> PackageHttp:
    """Requests of a service that works for the run: to what its package declares and the run may.

    A service inherits its caller's permissions, and no community package's code gets beyond its own
    (spec/manifest.md 10.3; seed: 工具和 guard 能拿到什么).
    """
    provider = run.http_policies.get(plugin_id, NO_HTTP)
    return _http(BothPolicies((provider, _own(run))), ports, life)


def _own(run: RuntimeRun) -> HttpPolicy:
    return runtime_policy(
        run.runtime_id,
        run.manifest.permissions.http,
        is_bundled=run.http_policies.get(run.plugin_id, NO_HTTP).is_open,
    )


def _http(policy: Policy, ports: RunPorts, life: CallLife) -> PackageHttp:
    return PackageHttp(ports.http, policy, use=life.use, clock=ports.clock, tell=ports.trace)
