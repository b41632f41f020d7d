"""The faults of the program's own test through Python: the same diagnostics, never a panic."""

import json
import pathlib
import re

import lissome as ls
import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "lissome-cli/tests/bad_input.rs"
TEXT = r'"((?:[^"\\]|\\.)*)"'
FAULT = re.compile(rf"\(\s*{TEXT},\s*{TEXT},\s*\"(E\d+)\",?\s*\)")


def unescaped(text):
    return json.loads(f'"{text}"')


def read():
    """The good scenes of the program's test, and what is replaced in each by what, with the code."""
    source = SOURCE.read_text()
    found = []
    for scene, faults in (("GOOD", "FAULTS"), ("ROBOT", "ROBOT_FAULTS")):
        good = re.search(rf'const {scene}: &str = r#"(.*?)"#;', source, re.S).group(1)
        block = re.search(rf"const {faults}: .*?= &\[(.*?)\n\];", source, re.S).group(1)
        found.extend((good, unescaped(old), unescaped(new), code) for old, new, code in FAULT.findall(block))
    return found


FAULTS = read()


def test_the_list_is_read_whole():
    assert len(FAULTS) >= 120
    for good, old, _, _ in FAULTS:
        assert good.count(old) == 1
        ls.loads(good)


def test_every_fault_is_told_as_the_program_tells_it(program, tmp_path):
    for good, old, new, code in FAULTS:
        file = tmp_path / "scene.toml"
        file.write_text(good.replace(old, new))
        with pytest.raises(ls.SceneError) as caught:
            ls.load(file)
        error = caught.value
        assert code in {one["code"] for one in error.diagnostics}, (old, new, str(error))
        assert isinstance(error, ValueError)
        assert error.line and error.column and error.help and error.message
        assert "^" in str(error) and f"error[{error.code}]" in str(error)
        # By its text alone: the same but for the name of the file.
        with pytest.raises(ls.SceneError) as by_text:
            ls.loads(good.replace(old, new))
        assert (by_text.value.code, by_text.value.line, by_text.value.column) == (error.code, error.line, error.column)


def test_a_sample_of_them_is_equal_to_the_json_of_the_program(program, tmp_path):
    for good, old, new, _ in FAULTS[::8]:
        (tmp_path / "scene.toml").write_text(good.replace(old, new))
        told = program("check", "scene.toml", "--json", cwd=tmp_path)
        errors = json.loads(told.stdout)["errors"]
        with pytest.raises(ls.SceneError) as caught:
            ls.load(tmp_path / "scene.toml")
        ours = [one for one in caught.value.diagnostics if one["severity"] == "error"]
        for one in ours + errors:
            one["file"] = None
        assert ours == errors


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (None, "E0601"),
        (b'title = "\xe9"\n', "E0102"),
        (bytes([0, 159, 146, 150, 255, 10, 13]) * 50, "E0102"),
        (b"schema = 1\0", "E0101"),
        (b"", "E0201"),
        (b"a = " + b"[" * 100_000, "E010"),
    ],
)
def test_bad_files(content, code, tmp_path):
    if content is not None:
        (tmp_path / "scene.toml").write_bytes(content)
    with pytest.raises(ls.LissomeError) as caught:
        ls.load(tmp_path / "scene.toml")
    assert caught.value.code.startswith(code)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"rod.arm.lenght": 3}, "E0203"),
        ({"rod.amr.length": 3}, "E0210"),
        ({"rod.arm.length": "3 kg"}, "E0306"),
        ({"": 3}, "E0210"),
        ({"rod.arm.length": float("nan")}, "E0302"),
    ],
)
def test_bad_changes(changes, code):
    with pytest.raises(ls.SceneError) as caught:
        ls.demo("rod").replace(changes)
    assert caught.value.code == code


def test_folders_that_are_not_ours_are_left_alone(tmp_path):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken/mine.txt").write_text("precious")
    for save in (ls.demo("rod").run().save, ls.demo("rod").solve().save):
        for place, code in (("taken", "E0604"), ("no/such/place", "E0603")):
            with pytest.raises(ls.LissomeError) as caught:
                save(tmp_path / place)
            assert caught.value.code == code
    with pytest.raises(ls.LissomeError) as caught:
        ls.open_run(tmp_path / "taken")
    assert caught.value.code == "E0605"
    assert (tmp_path / "taken/mine.txt").read_text() == "precious"
