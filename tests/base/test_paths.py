from pathlib import Path

import pytest

from covel_host.base.paths import OutsideFolder, resolve_inside


def test_a_relative_path_is_resolved_even_when_nothing_is_there(tmp_path: Path) -> None:
    assert resolve_inside(tmp_path, "./server/index.py") == tmp_path.resolve() / "server/index.py"


def test_a_runtime_may_climb_to_its_package_root(tmp_path: Path) -> None:
    folder = tmp_path / "runtimes" / "a"
    folder.mkdir(parents=True)
    found = resolve_inside(tmp_path, "../../schemas/x.json", base=folder)
    assert found == tmp_path.resolve() / "schemas/x.json"


@pytest.mark.parametrize("relative", ["", "/etc/passwd", "../x.py", "a/../../x.py", "a\\b.py"])
def test_what_leads_out_is_refused(tmp_path: Path, relative: str) -> None:
    with pytest.raises(OutsideFolder):
        resolve_inside(tmp_path, relative)


def test_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "secret.py").write_text("")
    (tmp_path / "package" / "index.py").symlink_to(tmp_path / "secret.py")
    with pytest.raises(OutsideFolder):
        resolve_inside(tmp_path / "package", "index.py")
