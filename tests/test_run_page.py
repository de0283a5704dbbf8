"""The Live page, as a reader uses it. Runs that take processes are in tests/live."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from core import trace
from core.algorithms import ALGORITHMS
from core.machines import MACHINES
from core.mutants import mutants
from core.run import hardware_backends, runtimes
from core.run.request import BACKENDS
from core.trace import lockstep
from lessons.parts import live, live_menu

ROOT = Path(__file__).parents[1]


def opened(**query):
    page = AppTest.from_file(ROOT / "app.py", default_timeout=60).run().switch_page("lessons/18_live.py")
    for key, value in query.items():
        page.query_params[key] = value
    page.run()
    assert [e.message for e in page.exception] == []
    return page


def said(page):
    kinds = (page.markdown, page.caption, page.error, page.warning, page.info, page.success, page.get("html"))
    return " ".join(str(element.value) for kind in kinds for element in kind)


def done(page, seconds=60):
    job = page.session_state[live.place("live")]
    assert job.wait(seconds)
    page.run()
    assert [e.message for e in page.exception] == []
    return job


@pytest.fixture
def without_mpi(monkeypatch):
    monkeypatch.setenv("ALLREDUCE_MPIEXEC", "/nowhere/mpiexec")


def test_the_page_says_what_a_run_takes_and_how_to_repeat_it():
    page = opened(ranks="2", size="16 MiB")
    assert "of memory" in said(page)
    assert any("--bytes 16777216" in block.value for block in page.code)


@pytest.mark.usefixtures("without_mpi")
def test_without_mpi_it_says_what_is_missing_and_offers_threads():
    page = opened(backend="mpi")
    assert runtimes.GET_MPI in said(page)
    assert "live.run" not in [button.key for button in page.button]
    assert opened().selectbox(key="live.backend").value == "threads"


@pytest.fixture
def with_nothing(monkeypatch):
    """A machine with neither MPI, nor torch, nor a GPU."""
    monkeypatch.setenv("ALLREDUCE_MPIEXEC", "/nowhere/mpiexec")
    monkeypatch.setattr(hardware_backends, "find_spec", lambda name: None)
    monkeypatch.setattr(hardware_backends, "may_have_gpu", lambda: False)


@pytest.mark.usefixtures("with_nothing")
@pytest.mark.parametrize("backend", BACKENDS)
def test_every_backend_is_offered_and_one_that_is_missing_says_what_brings_it(backend):
    page = opened(backend=backend)
    assert page.selectbox(key="live.backend").options == [live_menu.TITLES[name] for name in BACKENDS]
    works = backend == "threads"
    assert ("live.run" in [button.key for button in page.button]) == works
    assert ("This cannot run here yet" in said(page)) == (not works)
    assert ("`pip install torch`" in said(page)) == (backend in ("gloo", "virtual", "nccl"))
    assert "Threads work without it" in said(page) or works
    assert page.code  # the lines for another machine stay


def test_without_a_gpu_nccl_says_so_and_loads_nothing(monkeypatch):
    monkeypatch.setattr(hardware_backends, "may_have_gpu", lambda: False)
    monkeypatch.setattr(hardware_backends, "find_spec", lambda name: name)
    assert "No driver of a GPU answers".lower() in said(opened(backend="nccl")).lower()


def test_what_the_look_at_the_machine_found_decides(monkeypatch):
    found = {"torch": {"found": {"torch": "2.13.0", "gloo": "lo", "nccl": "", "cuda": ""}}, "gpus": {"found": GPUS}}
    survey = SimpleNamespace(
        state="done",
        found=lambda name: found.get(name, {}).get("found", {}),
        trouble=lambda name: "" if name in found else "nobody has looked",
    )
    monkeypatch.setattr(live, "last", lambda: survey)
    assert "was built without NCCL" in said(opened(backend="nccl"))


GPUS = {"gpus": [{"name": "a GPU", "copy": 1e12}], "notes": []}


def test_the_options_of_a_backend_are_menus_and_reach_the_lines():
    page = opened(backend="nccl", nccl_algo="tree", nccl_proto="ll", ranks="4", shared="True")
    assert not page.text_input
    words = " ".join(block.value for block in page.code)
    assert "--nccl tree:ll --share-gpu" in words
    assert "torchrun --standalone --nproc-per-node=4" in words
    page = opened(backend="mpi", through="memory", library="ring")
    assert "--through memory --library ring" in page.code[0].value
    assert "mpiexec -n 2" in " ".join(block.value for block in page.code)


def test_a_link_cannot_bring_a_word_of_its_own():
    page = opened(backend="nccl", nccl_algo="; rm -rf", device="--evil", size="1; ls", dtype="$(x)")
    words = " ".join(block.value for block in page.code)
    assert not any(evil in words for evil in ("rm -rf", "evil", "ls", "$(x)"))
    assert len(page.warning) >= 3


@pytest.mark.parametrize(("backend", "device"), [(False, ["the processor"]), (True, list(live_menu.DEVICES.values()))])
def test_a_gpu_is_offered_to_virtual_ranks_where_there_is_one(backend, device, monkeypatch):
    monkeypatch.setattr(live_menu, "may_have_gpu", lambda: backend)
    assert opened(backend="virtual").selectbox(key="live.device").options == device


def test_lines_for_several_machines():
    page = opened(backend="gloo", ranks="4")
    assert "NODE1" not in " ".join(block.value for block in page.code)
    page = opened(backend="gloo", ranks="4", machines="2")
    assert "--nnodes=2 --nproc-per-node=2" in " ".join(block.value for block in page.code)
    page.number_input(key="live.ranks").set_value(3).run()
    assert "--standalone --nproc-per-node=3" in " ".join(block.value for block in page.code)
    assert [warning.value for warning in page.warning] == []


def test_a_link_starts_nothing():
    page = opened(algorithm="ring", ranks="2", backend="threads", run="1")
    assert live.place("live") not in page.session_state


def test_a_server_for_others_starts_nothing_unless_allowed(monkeypatch):
    monkeypatch.setattr(live, "LOOPBACK", ())
    page = opened(backend="threads")
    assert "ALLREDUCE_ALLOW_LIVE=1" in said(page)
    assert "live.run" not in [button.key for button in page.button]
    monkeypatch.setenv("ALLREDUCE_ALLOW_LIVE", "1")
    assert "live.run" in [button.key for button in opened(backend="threads").button]


def test_too_many_processes_are_refused_in_a_sentence():
    assert "a live run starts at most 32" in said(opened(algorithm="sharp", ranks="32", backend="threads"))


@pytest.mark.live
def test_virtual_ranks_run_and_the_guess_is_about_the_formula():
    page = opened(backend="virtual", ranks="3", size="1 KiB")
    assert "says" in " ".join(group.label for group in page.get("button_group"))
    page.session_state["live.guess"] = "later"
    page.run()
    page.button(key="live.run").click().run()
    job = done(page, 120)
    assert job.state == "done", job.error
    assert any(words in said(page) for words in ("Your guess was right", "It came out"))
    assert trace.load(job.traces[0]["data"]).source == "virtual"


@pytest.mark.live
def test_threads_run_and_are_shown_and_can_be_saved():
    page = opened(backend="threads", ranks="3", size="16 KiB")
    page.button(key="live.run").click().run()
    job = done(page)
    assert job.state == "done", job.error
    assert "Median time" in said(page)
    assert "measured here" in said(page)


@pytest.mark.live
def test_a_second_click_while_one_runs_is_refused(monkeypatch):
    page = opened(backend="threads", ranks="3", size="16 KiB")
    page.button(key="live.run").click().run()
    first = page.session_state[live.place("live")]
    if not first.over:
        page.button(key="live.run").click().run()
        assert "still going" in said(page)
        assert page.session_state[live.place("live")] is first
    first.cancel()
    assert done(page).state == "cancelled"
    assert "cancelled" in said(page)


@pytest.mark.parametrize("collective", ["all-reduce", "something else"])
def test_a_wrong_file_is_proved_wrong_where_its_promise_is_known(collective):
    (mutant,) = mutants(ALGORITHMS["ring"](4), [5], ["drop"])
    found = replace(lockstep(mutant.schedule, 1 << 20, MACHINES["Laptop memory"]), about={"collective": collective})
    page = opened(backend="threads")
    page.file_uploader(key="live.file").upload("x.arl", trace.save(found), "application/octet-stream").run()
    assert [e.message for e in page.exception] == []
    told = [error.value for error in page.error]
    assert len(told) == (collective == "all-reduce")
    assert all("in step 2, a transfer is missing" in sentence for sentence in told)
    assert page.get("bidi_component")


def test_files_that_are_no_traces_are_refused_in_a_sentence():
    page = opened(backend="threads")
    for data, sentence in ((b"", "this file is empty"), (b"PK\x03\x04 something", "not a file of AllReduce Lab")):
        page.file_uploader(key="live.file").upload("x.arl", data, "application/octet-stream").run()
        assert [e.message for e in page.exception] == []
        assert sentence in said(page)


@pytest.mark.live
def test_a_mistake_is_guessed_made_and_explained(without):
    try:
        runtimes.launcher()
    except runtimes.Missing as missing:
        without(str(missing))
    page = AppTest.from_file(ROOT / "app.py", default_timeout=60).run().switch_page("lessons/22_break.py").run()
    page.selectbox(key="break.what").select("short_buffer").run()
    page.button(key="break.run").click().run()
    job = page.session_state[live.place("break")]
    assert job.wait(30)
    page.run()
    assert [e.message for e in page.exception] == []
    assert "It ends with an error" in said(page)
    assert "got an error" in said(page)


def test_recorded_runs_are_played_and_say_that_they_are(tmp_path, monkeypatch):
    schedule = ALGORITHMS["ring"](3)
    model = lockstep(schedule, 1 << 20, MACHINES["Laptop memory"])
    about = {"median": 1e-3, "date": "long ago", "machine": {"processor": "a machine", "cores": 4}}
    found = trace.Trace(schedule, 1 << 20, model.start, model.end, "mpi", about)
    (tmp_path / "a ring.arl").write_bytes(trace.save(found))
    monkeypatch.setattr("lessons.parts.live_result.RECORDED", tmp_path)
    page = opened(backend="threads")
    page.selectbox(key="live.recorded").select("a ring").run()
    assert [e.message for e in page.exception] == []
    assert "recorded" in said(page)
    assert "long ago on a machine, 4 processors" in said(page)
    assert "long ago on a machine, 4 processors" in said(opened(backend="threads", recorded="a ring"))
    assert "did you mean a ring" in said(opened(backend="threads", recorded="another"))
