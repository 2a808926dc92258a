from pathlib import Path

import pytest

from covel_host.manifest.contributions import Contributions
from covel_host.manifest.package import read_package
from covel_host.manifest.served import (
    CODE_CONTRIBUTIONS,
    QUIET_CONTRIBUTIONS,
    unserved_contributions,
)

MANUAL = "schedule: {trigger: {type: manual}}"


def contributions(root: Path, contributes: str) -> list[tuple[str, str, bool]]:
    (root / "PLUGIN.md").write_text(
        f"---\ndescription: A test\ncontributes:\n  {contributes}\n---\n"
    )
    return [
        (found.name, found.path, found.blocks_loading)
        for found in unserved_contributions(read_package(root, plugin_id="moss-ledger"))
    ]


def test_every_contribution_is_served_or_listed() -> None:
    listed = {*CODE_CONTRIBUTIONS, *QUIET_CONTRIBUTIONS}
    assert set(Contributions.model_fields) - listed == {
        "actions",
        "commands",
        "forms",
        "tools",
        "services",
        "data",
        "datasets",
        "events",
        "extensions",
        "hooks",
        "prompt",
        "settings",
    }
    assert listed <= set(Contributions.model_fields)


@pytest.mark.parametrize(
    ("contributes", "path"),
    [
        ("wires: [loud]", "contributes.wires"),
    ],
)
def test_contributions_of_code_block_loading(tmp_path: Path, contributes: str, path: str) -> None:
    assert contributions(tmp_path, contributes) == [("not-supported-yet", path, True)]


@pytest.mark.parametrize(
    ("contributes", "path"),
    [
        (
            "extensions: [{point: history.compact@2, id: a}, {point: media.image-flow@1, id: b}]",
            "contributes.extensions.1.point",
        ),
        (
            "extensions: [{point: ui.slot@1, id: a, slot: stage.cast@1}]",
            "contributes.extensions.0.point",
        ),
    ],
)
def test_declarations_that_nothing_reads_are_said_and_block_nothing(
    tmp_path: Path, contributes: str, path: str
) -> None:
    assert contributions(tmp_path, contributes) == [("not-served-yet", path, False)]


@pytest.mark.parametrize(
    "contributes",
    [
        "tools: [count]",
        "prompt: [{id: tone, content: Be calm, position: system}]",
        "hooks: [{event: PreCompaction}, {event: PostCompaction}]",
        "extensions: [{point: prompt.segment@1, id: a}, {point: session.world-context@1, id: a}]",
        "datasets: {npcs: {schema: npc.json, search: {text: name}}}",
        "data: {notes: {schema: x.json, version: 1, search: {text: name}}}",
        "events: [{topic: moss.found, schema: x.json, description: Found}]",
        "actions: []",
        "data: {}",
    ],
)
def test_what_is_served_or_empty_is_not_mentioned(tmp_path: Path, contributes: str) -> None:
    assert contributions(tmp_path, contributes) == []
