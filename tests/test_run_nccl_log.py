"""What NCCL writes into its log, and what is asked of it in the environment."""

import pytest

from core.run.nccl_group import NcclGroup
from core.run.nccl_log import Choice, choices, rings, trees
from core.run.nccl_settings import Place, Setting, environment, explain, impossible, obeyed
from core.run.request import Method, Request
from core.run.virtual_device import Device

LOGS = {
    "host:11:42 [0] NCCL INFO 1048576 Bytes -> Algo 1 proto 2 time 43.2": Choice(
        "", 1048576, "ring", "simple", predicted=43.2e-6
    ),
    "host:11:42 [0] NCCL INFO AllReduce: 256 Bytes -> Algo 0 proto 0 time 8.5": Choice(
        "AllReduce", 256, "tree", "ll", predicted=8.5e-6
    ),
    "host:11:42 [3] NCCL INFO AllReduce: 65536 Bytes -> Algo RING proto LL128 channel{Lo..Hi}={0..7}": Choice(
        "AllReduce", 65536, "ring", "ll128", channels=8
    ),
    "NCCL INFO AllReduce: 8388608 Bytes -> Algo NVLS_TREE proto SIMPLE channel{Lo..Hi}={2..17}": Choice(
        "AllReduce", 8388608, "nvls_tree", "simple", channels=16
    ),
    "NCCL INFO ReduceScatter: 64 Bytes -> Algo NVLSTree proto Simple channel{Lo..Hi}={0..0}": Choice(
        "ReduceScatter", 64, "nvls_tree", "simple", channels=1
    ),
    "NCCL INFO AllReduce [Symmetric]: 4096 Bytes -> Kernel AllReduce_AGxLLMC_R nchannels 12 nthreads 512": Choice(
        "AllReduce", 4096, "", "", "AllReduce_AGxLLMC_R", 12
    ),
    "NCCL INFO AllGather: 4096 Bytes -> Algo 9 proto 2 time 1.0": Choice(
        "AllGather", 4096, "number 9", "simple", predicted=1e-6
    ),
}


@pytest.mark.parametrize("line", LOGS)
def test_every_era_of_the_log_is_read(line):
    found = choices(f"host:1:1 [0] NCCL INFO Bootstrap: Using eth0\n{line}\nhost:1:1 [0] NCCL INFO comm 0x1 rank 0\n")
    assert len(found) == 1
    assert found[0] == LOGS[line]


def test_what_is_no_choice_is_passed_over():
    assert choices("") == []
    assert choices("AllReduce: opCount 3 sendbuff 0x7f\n12 Bytes received\nAllReduce: -> Algo RING\n") == []
    assert [c.nbytes for c in choices("\n".join(LOGS))] == [choice.nbytes for choice in LOGS.values()]


def test_rings_and_trees_of_nccl_itself():
    log = (
        "h:1:2 [0] NCCL INFO Channel 00/04 :    0   3   2   1\n"
        "h:1:2 [0] NCCL INFO Channel 01/04 :    0   1   2   3\n"
        "h:1:2 [0] NCCL INFO Trees [0] 1/-1/-1->0->-1 [1] -1/-1/-1->0->2\n"
        "h:1:3 [1] NCCL INFO Trees [0] 2/3/-1->1->0 [1] -1/-1/-1->1->2\n"
        "h:1:3 [1] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\n"
    )
    assert rings(log) == {0: [0, 3, 2, 1], 1: [0, 1, 2, 3]}
    assert trees(log) == {0: {1: 0}, 1: {0: 2, 1: 2}}


def test_the_log_says_whether_nccl_obeyed():
    asked = Setting("tree", "ll")
    ring = Choice("AllReduce", 1 << 20, "ring", "simple", channels=2)
    tree = Choice("AllReduce", 1 << 20, "tree", "ll", channels=2)
    assert obeyed(asked, [tree]) == "AllReduce of 1 MiB: tree, protocol ll, 2 channels"
    assert obeyed(asked, [tree, ring]).endswith("ring, protocol simple, 2 channels (asked for: NCCL tree ll)")
    assert obeyed(Setting(), [ring]) == str(ring)
    assert obeyed(asked, [Choice("Broadcast", 8, "ring", "ll")]) == ""


def test_settings_in_the_words_of_each_version():
    new = environment(Setting("ring", "ll128"), (2, 27, 3), "/x")
    assert (new["NCCL_ALGO"], new["NCCL_PROTO"]) == ("allreduce:ring", "allreduce:ll128")
    old = environment(Setting("collnet_chain", "simple"), (2, 20, 5), "/x")
    assert (old["NCCL_ALGO"], old["NCCL_PROTO"]) == ("CollNetChain", "Simple")
    own = environment(Setting(), (2, 29, 7), "/x")
    assert not own.keys() & {"NCCL_ALGO", "NCCL_PROTO", "NCCL_MULTI_RANK_GPU_ENABLE"}
    assert "TUNING" in own["NCCL_DEBUG_SUBSYS"]
    assert environment(Setting("multimem"), (2, 29, 7), "/x").keys() == own.keys()
    shared = environment(Setting("ring", shared=True), (2, 30, 7), "/x")
    assert shared["NCCL_MULTI_RANK_GPU_ENABLE"] == "1"
    assert int(shared["NCCL_MAX_CTAS"]) <= 4


def test_nonsense_is_refused_before_anything_starts():
    assert Setting("ring", "ll").refuse() == Setting("nvls", "simple").refuse() == Setting().refuse() == ""
    assert "no NCCL algorithm 'ring;rm'" in Setting("ring;rm").refuse()
    assert "no NCCL protocol 'x'" in Setting("", "x").refuse()
    assert "only works with the protocol simple" in Setting("nvls", "ll").refuse()
    assert "turns NVLS off" in Setting("nvls", shared=True).refuse()
    asked = Request(2, (Method("ring"),), (8,), backend="nccl", nccl=Setting("nvls", "ll").as_dict())
    assert "only works with" in asked.refuse()


@pytest.mark.parametrize(
    ("setting", "place", "sentence"),
    [
        (Setting("ring"), Place((2, 29, 7), 4, 4), ""),
        (Setting("ring"), Place((2, 29, 7), 1, 2), "2 ranks need as many GPUs, and there are 1"),
        (Setting(shared=True), Place((2, 29, 7), 1, 2), "need NCCL 2.30, and this is 2.29.7"),
        (Setting(shared=True), Place((2, 30, 7), 1, 2), ""),
        (Setting("nvls"), Place((2, 30), 8, 8, 1, (8, 0), True), "GPUs of the Hopper generation"),
        (Setting("multimem"), Place((2, 30), 8, 8, 1, (9, 0), False), "an NVLink switch that adds"),
        (Setting("nvls"), Place((2, 30), 8, 8, 1, (9, 0), True), ""),
        (Setting("nvls_tree"), Place((2, 30), 8, 8, 1, (9, 0), True), "several machines, and this is one"),
        (Setting("nvls_tree"), Place((2, 30), 8, 16, 2, (9, 0), True), ""),
        (Setting("collnet_direct"), Place((2, 30), 8, 8), "network switches that add (SHARP)"),
    ],
)
def test_impossible_choices_are_explained(setting, place, sentence):
    found = impossible(setting, place)
    assert sentence in found
    assert bool(sentence) == bool(found)


def test_errors_of_nccl_become_sentences():
    assert "refuses: choose fewer" in explain("Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 4b000")
    assert "turn on sharing" in explain("init.cc:1055 WARN Multiple Ranks are using the same GPU/Partition. Set ...")
    assert "no such combination" in explain("Error : no algorithm/protocol available for function AllReduce")
    assert "until its time was up" in explain("[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(...)")
    assert explain("something\nnobody has seen\n\n") == "NCCL failed: nobody has seen"
    assert explain("") == "NCCL failed and did not say why"


def test_findings_come_from_the_log(tmp_path):
    (tmp_path / "nccl.host.1.log").write_text("\n".join([*LOGS, "Channel 00/02 : 0 2 1"]))
    group = NcclGroup(None, Device(), 0, 1)
    group.setting, group.folder = Setting("ring"), str(tmp_path)
    found = group.findings()["nccl"]
    assert found["asked"] == "NCCL ring"
    assert found["did"].startswith("AllReduce of 4 KiB: kernel AllReduce_AGxLLMC_R")
    assert len(found["choices"]) == len(LOGS)
    assert found["rings"] == {"0": [0, 2, 1]}
