"""Contracts a package provides and publishes (spec/manifest.md 6.3 rules 4 and 5, 4.10, 8.2)."""

from collections.abc import Iterator
from typing import Final

from covel_host.diagnostics.near_names import nearest
from covel_host.manifest.kernel_contracts import is_kernel_contract
from covel_host.manifest.rules.facts import RootFacts, RuntimeFacts
from covel_host.manifest.rules.rule import Path, Problem, field, rule


@rule("6.3.4", "contract-not-provided", "An output contract is listed in `provides`.")
def output_not_provided(runtime: RuntimeFacts) -> Iterator[Problem]:
    contract, root = runtime.io.output.contract, runtime.root
    if contract is None or root is None or not root.sound("provides"):
        return
    provided = [item.contract for item in root.manifest.provided_contracts]
    if contract not in provided:
        path = runtime.at("io", "output", "contract")
        near = nearest(contract, provided)
        yield Problem(
            path,
            f"{field(path)} is {contract!r}, which PLUGIN.md does not list under 'provides'.",
            f"The nearest provided contract is {near!r}."
            if near is not None
            else f"Add {contract!r} to 'provides'.",
        )


@rule("8.2", "kernel-contract-provided", "Contracts of the host are not provided.")
def kernel_contract_provided(root: RootFacts) -> Iterator[Problem]:
    for index, item in enumerate(root.manifest.provides):
        contract = item if isinstance(item, str) else item.contract
        if is_kernel_contract(contract):
            path: Path = ("provides", index)
            yield Problem(
                path,
                f"{field(path)} is {contract!r}, which belongs to the host; providing it satisfies "
                "nobody.",
                "Implement it in `contributes.extensions`.",
            )


RUNTIME_RULES: Final = (output_not_provided,)
ROOT_RULES: Final = (kernel_contract_provided,)
