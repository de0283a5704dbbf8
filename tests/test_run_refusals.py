"""What python -m core.run says to what it cannot do: one sentence, before anything starts, and never a traceback."""

import json
import os
import stat

import pytest

from core.run import launch, processes, report, runtimes, spec
from core.run.__main__ import main
from core.run.request import MAX_METHODS, MAX_SIZES, Method, Request

FILE = str(__file__)
LONG = "x" * 300
REFUSED = [
    (("-n", "0"), "world_size is 0: a live run takes 1 to 32"),
    (("-n", "1000000000"), "world_size is 1000000000: a live run takes 1 to 32"),
    (("-n", "nan"), "invalid int value: 'nan'"),
    (("-n", "²"), "invalid int value: '²'"),
    (("-n", "30", "--algorithm", "sharp"), "a live run starts at most 32"),
    (("--bytes", "-4"), "-4 is not a size we can use"),
    (("--bytes", "lots"), "cannot read 'lots' as a size"),
    (("--bytes", "1K,,2K"), "cannot read '' as a size"),
    (("--bytes", "1e999"), "1e999 is not a size we can use"),
    (("--bytes", "7"), "7 bytes are not a whole number of float32: choose a multiple of 4"),
    (("--bytes", ",".join(["4"] * 3000)), f"3000 sizes: a live run takes at most {MAX_SIZES}"),
    (("--algorithm", ",".join(["ring"] * 3000)), f"3000 algorithms: a live run takes at most {MAX_METHODS}"),
    (("--algorithm", "magic"), "there is no algorithm 'magic'"),
    (("--algorithm", "ring,direct,ring"), "ring is asked for twice"),
    (("--bytes", "64K,8,65536"), "65536 bytes are asked for twice"),
    (("--algorithm", "rnig"), "there is no algorithm 'rnig': choose one of ring\n"),
    (("--algorithm", "ring,"), "there is no algorithm ''"),
    (("--algorithm", "a\n\x1b[31m" + LONG), "there is no algorithm 'a\\n\\x1b[31mx"),
    (("--option", "radix"), "write NAME=VALUE"),
    (("--option", "colour=3"), "there is no option 'colour'"),
    (("--option", "offset=--5"), "it must be a whole number"),
    (("--option", "self=3"), "there is no option 'self'"),
    (("--option", "world_size=3"), "there is no option 'world_size'"),
    (("--algorithm", "knomial_tree", "--option", "radix=-5"), "radix is -5: it must be 2 to"),
    (("--segments", "-1"), "-1 segments: choose 1 to 1024"),
    (("--seconds", "nan"), "seconds is nan: a live run takes 0.1 to 120"),
    (("--time-limit", "inf"), "time_limit is inf: a live run takes 1 to 3600"),
    (("--repeats", "10**9"), "invalid int value: '10**9'"),
    (("--op", "xor"), "op is 'xor': choose one of sum"),
    (("--dtype", "float8"), "invalid choice: 'float8'"),
    (("--schedule", "nowhere.arl"), "there is no file nowhere.arl"),
    (("--schedule", "/dev/zero"), "there is no file /dev/zero"),
    (("--schedule", FILE), "this is not a file of AllReduce Lab"),
    (("--fault", "kill:9"), "there is no process 9"),
    (("--fault", "explode:1"), "write one of kill"),
    (("--fault", "kill:²"), "write one of kill"),
    (("--fault", "late:1:soon"), "write one of kill"),
    (("--fault", "late:1:nan"), "nan s late: choose 0 to 1 s"),
    (("--out", "/"), "is a folder: name a file in it"),
    (("--out", LONG), "--out cannot be a file: File name too long"),
    (("--nccl", "ring:simple"), "--nccl and --share-gpu steer NCCL, and the backend is mpi: add --backend nccl"),
    (("--share-gpu", "--backend", "gloo"), "the backend is gloo: add --backend nccl"),
    (("--nccl", "magic", "--backend", "nccl"), "there is no NCCL algorithm 'magic'"),
    (("--device", "cuda"), "--device is where virtual ranks live, not mpi ranks: add --backend virtual"),
    (("--device", "cpu", "--backend", "threads"), "not threads ranks: add --backend virtual"),
    (("--through", "memory", "--backend", "gloo"), "shared memory is a choice between MPI processes"),
    (("--colour",), "unrecognized arguments: --colour"),
]


@pytest.fixture
def nothing_starts(monkeypatch):
    for name in [name for name in os.environ if name.startswith(("PMI_", "ALLREDUCE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(launch.QUEUE, "join", lambda job: pytest.fail("a run was started"))


def told(capsys, *words):
    """(exit code, what came on stderr) of the command line."""
    try:
        code = main(list(words))
    except SystemExit as leaving:
        code = leaving.code
    return code, capsys.readouterr().err


@pytest.mark.usefixtures("nothing_starts")
@pytest.mark.parametrize(("words", "sentence"), REFUSED, ids=lambda words: " ".join(words)[:40])
def test_what_cannot_be_done_is_one_sentence(capsys, words, sentence):
    code, said = told(capsys, *words)
    assert code == 2
    assert sentence in said
    assert said.startswith("core.run: ")
    assert said.count("\n") == 1


@pytest.mark.usefixtures("nothing_starts")
@pytest.mark.parametrize("answer", ["", "BusyBox v1.36 multi-call binary", "\u20ac \\377"])
def test_a_launcher_that_is_none_is_told_what_it_answered(capsys, monkeypatch, tmp_path, answer):
    path = tmp_path / "mpiexec"
    path.write_text(f"#!/bin/sh\nprintf '{answer}'\nexit 3\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("ALLREDUCE_MPIEXEC", str(path))
    code, said = told(capsys, "-n", "2")
    assert code == 2
    assert f"{path} is no MPI launcher that we know: asked with --version, it said" in said
    assert (answer[:1] or "nothing") in said
    assert "ended with code 3. Set ALLREDUCE_MPIEXEC to the mpiexec of" in said


@pytest.mark.usefixtures("nothing_starts")
def test_a_missing_mpiexec(capsys, monkeypatch):
    monkeypatch.setenv("ALLREDUCE_MPIEXEC", "/nowhere/mpiexec")
    code, said = told(capsys, "-n", "2")
    assert code == 2
    assert "no mpiexec was found" in said
    assert runtimes.GET_MPI in said


FINE = {"request": Request(2, (Method("ring"),), (8,), backend="threads").as_dict(), "parent": 1, "born": "x"}
FINE |= {"command": "a test"}
HOSTILE = {
    "no json": b"\x00\xff{",
    "nothing": b"",
    "a list": b"[1, 2]",
    "no request": b"{}",
    "deep": b"[" * 100_000,
    "an unknown field": json.dumps(FINE | {"request": FINE["request"] | {"evil": 1}}).encode(),
    "not a number": json.dumps(FINE | {"parent": "me"}).encode(),
    "a number for a list": json.dumps(FINE | {"request": FINE["request"] | {"sizes": 8}}).encode(),
    "a word for a number": json.dumps(FINE | {"request": FINE["request"] | {"world_size": "many"}}).encode(),
    "many ranks": json.dumps(FINE | {"request": FINE["request"] | {"world_size": 10**9}}).encode(),
}


@pytest.fixture
def of_a_run(monkeypatch, tmp_path):
    """The folder of a run, of which this process claims to be a part."""
    monkeypatch.setenv("ALLREDUCE_RUN", "0123456789abcdef")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return processes.new_folder("0123456789abcdef")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_damaged_spec_is_one_sentence(capsys, of_a_run, name):
    (of_a_run / spec.NAME).write_bytes(HOSTILE[name])
    code, said = told(capsys, "--spec", str(of_a_run / spec.NAME))
    assert code == 2
    assert said.startswith("core.run: ")
    assert said.count("\n") == 1


def test_a_spec_is_only_believed_in_the_folder_of_its_run(capsys, of_a_run, monkeypatch, tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (of_a_run / spec.NAME).write_text(json.dumps(FINE | {"folder": str(precious)}))
    assert spec.read(of_a_run / spec.NAME).folder == of_a_run  # whatever it says
    (precious / spec.NAME).write_text(json.dumps(FINE))
    link, alike = of_a_run.with_name(f"{of_a_run.name}link"), tmp_path / f"{processes.FOLDER}01234567-of-mine"
    link.symlink_to(precious)
    alike.mkdir()
    (alike / spec.NAME).write_text(json.dumps(FINE))
    elsewhere = (precious / spec.NAME, link / spec.NAME, alike / spec.NAME)
    for path in (*elsewhere, of_a_run / "other.json", tmp_path / "nowhere" / spec.NAME):
        code, said = told(capsys, "--spec", str(path))
        assert (code, said.count("\n")) == (2, 1)
        assert "only a run starts its own processes with it" in said
    monkeypatch.delenv("ALLREDUCE_RUN")
    assert told(capsys, "--spec", str(of_a_run / spec.NAME))[0] == 2


def test_a_trace_is_written_whole_or_not_at_all(capsys, tmp_path, monkeypatch):
    one, two = ({"label": label, "nbytes": 8, "data": b"new"} for label in ("ring", "direct"))
    out = tmp_path / "deep" / "t.arl"
    assert report.write_or_tell(str(out), [one]) == [str(out)]
    (tmp_path / "link.arl").symlink_to(out)
    assert report.write_or_tell(str(tmp_path / "link.arl"), [one | {"data": b"newer"}])
    assert (tmp_path / "link.arl").is_symlink()
    assert out.read_bytes() == b"newer"

    def full(self, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    assert report.write_or_tell(str(out), [one]) == []
    assert "cannot be written to" in capsys.readouterr().err
    assert out.read_bytes() == b"newer"  # what was there is not lost
    assert report.write_or_tell(str(out), [one, two]) == []
    assert capsys.readouterr().err.count("No space left on device") == 2
    assert [path.name for path in out.parent.iterdir()] == ["t.arl"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a device that is always full")
def test_a_full_device_is_told_and_stays_a_device(capsys):
    assert report.write_or_tell("/dev/full", [{"label": "ring", "nbytes": 8, "data": b"new"}]) == []
    assert "cannot be written to /dev/full: No space left on device" in capsys.readouterr().err
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
