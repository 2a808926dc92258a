from pathlib import Path

import pytest

from covel_host.models.errors import ModelError
from covel_host.models.script_file import ScriptedReply, parse_replies, read_script

GOOD_YAML = """\
- text: Hello.
  usage: { inputTokens: 3, outputTokens: 2 }
- calls:
    - name: echo-value
      arguments: { value: hi }
    - name: echo-value
      arguments: '{"value": "broken'
  delayMs: 20
- error: { status: 429, retryAfter: 1.5 }
- text: no
"""


def write(tmp_path: Path, text: str, name: str = "replies.yaml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def problem(path: Path) -> str:
    with pytest.raises(ModelError) as caught:
        read_script(path)
    assert caught.value.code == "config-error"
    return str(caught.value).replace(f"{path.parent}/", "")


def test_a_yaml_script_is_read(tmp_path: Path) -> None:
    replies = read_script(write(tmp_path, GOOD_YAML))

    assert [reply.text for reply in replies] == ["Hello.", None, None, "no"]
    assert [call.arguments for call in replies[1].calls] == [{"value": "hi"}, '{"value": "broken']
    assert (replies[1].delay_ms, replies[0].usage.input_tokens) == (20, 3)
    assert replies[2].error is not None
    assert (replies[2].error.status, replies[2].error.retry_after) == (429, 1.5)


def test_a_json_script_is_read_as_json(tmp_path: Path) -> None:
    text = '[\n\t{"text": "a", "usage": {"inputTokens": 1}},\n\t{"calls": [{"name": "x"}]}]'
    replies = read_script(write(tmp_path, text, "replies.json"))

    assert (replies[0].text, replies[1].calls[0].arguments) == ("a", {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- text: a\n- txt: b\n", "replies.yaml:2: 1.txt: this field is not known here."),
        ("- calls:\n    - nme: x\n", "replies.yaml:2: 0.calls.0.name: Field required."),
        ("- text: 5\n", "replies.yaml:1: 0.text: Input should be a valid string."),
        ("- calls:\n    - name: x\n      arguments: 5\n", "replies.yaml:3: 0.calls.0.arguments"),
        ("- error: { status: 200 }\n", "replies.yaml:1: 0.error.status: Input should be greater"),
        ("- {}\n", "replies.yaml:1: 0: a reply has 'text', 'calls' or 'error'."),
        ("- text: a\n  error: { status: 500 }\n", "replies.yaml:1: 0: a reply with 'error' has"),
        ("text: a\n", "replies.yaml:1: the script: Input should be a valid list."),
        ("", "replies.yaml: the script: Input should be a valid list."),
        ("- text: a\n  text: b\n", "replies.yaml:2: "),
        ("- text: [a\n", "replies.yaml:"),
    ],
)
def test_a_bad_yaml_script_is_refused_with_its_line(
    tmp_path: Path, text: str, expected: str
) -> None:
    assert expected in problem(write(tmp_path, text))


def test_a_bad_json_script_is_refused_with_its_place(tmp_path: Path) -> None:
    assert problem(write(tmp_path, '[\n{"text": }]', "r.json")).startswith("r.json:2: ")
    assert "r.json: 0.txt: this field" in problem(write(tmp_path, '[{"txt": 1}]', "r.json"))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert "cannot be read" in problem(tmp_path / "gone.yaml")


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_bytes(b"- text: \xff")

    assert "not UTF-8" in problem(path)


def test_replies_of_a_test_case_use_their_own_places() -> None:
    with pytest.raises(ModelError, match=r"case\.yaml#1\.text: 1\.text: "):
        parse_replies(
            [{"text": "a"}, {"text": 1}],
            locate=lambda path: "case.yaml#" + ".".join(map(str, path)),
        )


def test_replies_are_facts() -> None:
    assert ScriptedReply(text="a") == ScriptedReply(text="a")
