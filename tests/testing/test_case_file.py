"""Files of runtime cases: what is read, and what each mistake is told."""

from pathlib import Path

import pytest

from covel_host.testing.case_file import CaseFileError, read_cases


def problems(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "runtime-cases.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CaseFileError) as refused:
        read_cases(path, shown="tests/runtime-cases.json")
    return refused.value.message.split("\n")


@pytest.mark.parametrize("text", ['[{"name": "one"}]', '{"cases": [{"name": "one"}]}'])
def test_a_list_and_an_object_with_cases_are_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "runtime-cases.json"
    path.write_text(text, encoding="utf-8")
    (case,) = read_cases(path, shown="x")
    assert (case.name, case.mode, case.llm_responses) == ("one", "both", None)
    assert case.runs_in("mock")
    assert case.runs_in("live")


@pytest.mark.parametrize("name", ["llmResponse", "llmContent", "llmObject", "mockPresetId"])
def test_reply_fields_of_other_hosts_are_named_with_ours(tmp_path: Path, name: str) -> None:
    (problem,) = problems(tmp_path, f'[{{"name": "one",\n  "{name}": "hello"}}]')
    assert problem == (
        f"tests/runtime-cases.json:2:3: [0].{name}: this host does not read it; replies stand in "
        "'llmResponses': a list of {text?, calls?, usage?, delayMs?, error?}."
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "tests/runtime-cases.json:1:2: it is not JSON: "),
        ("[]", "tests/runtime-cases.json:1:1: the file: expected a list of cases, or "),
        ('{"cases": {}}', "tests/runtime-cases.json:1:2: cases: expected a list of cases, or "),
        ('{"cases": [], "of": 1}', "tests/runtime-cases.json:1:15: of: no such field."),
        ("[{}]", "tests/runtime-cases.json:1:2: [0].name: Field required; got {}."),
        ('[{"name": "a", "mood": 1}]', "tests/runtime-cases.json:1:16: [0].mood: no such field."),
        (
            '[{"name": "a"},\n\t{"name": "a"}]',
            "tests/runtime-cases.json:2:3: [1].name: the name 'a' is used twice.",
        ),
        (
            '[{"name": "a", "llmResponses": [{"calls": [{"name": ""}]}]}]',
            "tests/runtime-cases.json:1:45: [0].llmResponses[0].calls[0].name: String should have",
        ),
        (
            '[{"name": "a", "llmResponses": [{}]}]',
            "tests/runtime-cases.json:1:33: [0].llmResponses[0]: a reply has 'text', 'calls' or",
        ),
        ('[{"name": "a", "mode": "dry"}]', "tests/runtime-cases.json:1:16: [0].mode: Input should"),
        (
            '[{"name": "a", "config": {}}]',
            "tests/runtime-cases.json:1:16: [0].config: this host does not read it; what a package",
        ),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, text: str, problem: str) -> None:
    (told,) = problems(tmp_path, text)
    assert told.startswith(problem)


def test_every_mistake_is_told(tmp_path: Path) -> None:
    assert len(problems(tmp_path, '[{"name": 1}, {"name": "b", "expect": {"rows": []}}]')) == 2


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    with pytest.raises(CaseFileError, match="cannot be read: No such file"):
        read_cases(tmp_path / "none.json", shown="none.json")
    path = tmp_path / "runtime-cases.json"
    path.write_bytes(b"\xff")
    with pytest.raises(CaseFileError, match="not UTF-8"):
        read_cases(path, shown="x")
