"""The translations of texts in code, read from label files."""

from pathlib import Path

from covel_host.manifest.package import read_package
from covel_host.manifest.translations import package_messages


def messages(root: Path, **files: str) -> dict[str, dict[str, str]]:
    (root / "locales").mkdir()
    (root / "PLUGIN.md").write_text("---\ndescription: A test\n---\n")
    for name, text in files.items():
        (root / "locales" / f"{name.replace('_', '-')}.yaml").write_text(text, encoding="utf-8")
    return package_messages(read_package(root, plugin_id="moss-ledger"))


def test_messages_are_by_locale_and_english_text(tmp_path: Path) -> None:
    found = messages(
        tmp_path,
        de="messages: {Done: Fertig, 'a | b': 'c | d'}\n",
        zh_Hant="messages: {Done: 完成}\n",
    )
    assert found == {"de": {"Done": "Fertig", "a | b": "c | d"}, "zh-Hant": {"Done": "完成"}}


def test_texts_of_the_interface_and_wrong_entries_are_left_out(tmp_path: Path) -> None:
    text = "messages: {'label|Done': X, Bad: 3, 4: Four}\nPLUGIN.md: {description: Y}\n"
    assert messages(tmp_path, de=text) == {"de": {}}


def test_files_that_cannot_be_read_stand_in_nobodys_way(tmp_path: Path) -> None:
    found = messages(tmp_path, de="messages: [", German="messages: {Done: X}\n", fr="- 1\n")
    assert found == {"de": {}, "fr": {}}


def test_a_package_without_label_files_has_no_messages(tmp_path: Path) -> None:
    assert messages(tmp_path) == {}
