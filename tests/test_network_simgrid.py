"""The flow model with rendezvous sends is SimGrid: recorded times always, live ones where SimGrid is installed."""

import csv
from pathlib import Path

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.network import simulate
from core.topologies import crossbar, fat_tree
from tests import simgrid

ENVELOPE = 16  # bytes that SMPI adds to each message
ROWS = list(csv.DictReader((Path(__file__).parent / "simgrid_times.csv").open()))


def network(platform, world_size):
    return crossbar(world_size) if platform == "star" else fat_tree(world_size)


def schedule(name, world_size):
    if name.startswith("halving_doubling"):
        return ALGORITHMS["halving_doubling"](world_size, order="far" if "far" in name else "near")
    return ALGORITHMS[name](world_size)


def placed(placement):
    shuffled = placement.removeprefix("shuffled")
    return {} if placement == "natural" else {"placement": "shuffled", "seed": int(shuffled)}


def ours(row, envelope):
    world_size = int(row["ranks"])
    made = schedule(row["algorithm"], world_size), float(row["nbytes"]), network(row["platform"], world_size)
    return simulate(*made, send="rendezvous", envelope=envelope, **placed(row["placement"])).seconds * 1e6


def test_there_are_42_recorded_times():
    assert len(ROWS) == 42
    assert {row["placement"] for row in ROWS} == {"natural", "shuffled1"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(list(row.values())[:5]))
def test_recorded_times(row):
    assert ours(row, ENVELOPE) == pytest.approx(float(row["simgrid_us"]), rel=5e-5)
    eager = 5e-4 if row["platform"] == "star" else 2e-2
    assert ours(row, 0) == pytest.approx(float(row["simgrid_us_default_eager"]), rel=eager)


def test_static_loads_are_exact_for_regular_traffic_and_too_slow_for_the_rest():
    for row in ROWS:
        world_size = int(row["ranks"])
        made = schedule(row["algorithm"], world_size), float(row["nbytes"]), network(row["platform"], world_size)
        options = {"send": "rendezvous", "envelope": ENVELOPE, **placed(row["placement"])}
        ratio = simulate(*made, model="links", **options).seconds * 1e6 / float(row["simgrid_us"])
        regular = row["placement"] == "natural" or row["algorithm"] == "ring"
        assert 0.9999 < ratio < (1.0001 if regular else 1.25)


LIVE = [
    ("star", 8, "natural", 65536, "lr", "ring"),
    ("star", 16, "natural", 1 << 20, "rdb", "recursive_doubling"),
    ("fattree", 32, "natural", 1 << 20, "rab_rdb", "halving_doubling_near_first"),
    ("fattree", 32, "shuffled3", 1 << 20, "lr", "ring"),
    ("fattree", 32, "shuffled3", 1 << 18, "rdb", "recursive_doubling"),
]


@pytest.mark.live
@pytest.mark.skipif(not simgrid.installed(), reason="SimGrid (Debian: libsimgrid-dev) is not installed")
def test_live_times_agree_and_a_wrong_configuration_does_not(tmp_path):
    program = simgrid.build(tmp_path)
    for platform, world_size, placement, nbytes, smpi, name in LIVE:
        xml = (simgrid.star if platform == "star" else simgrid.fat_tree)(world_size)
        seed = placed(placement).get("seed")
        hosts = np.arange(world_size) if seed is None else np.random.default_rng(seed).permutation(world_size)
        row = {"platform": platform, "ranks": world_size, "placement": placement, "nbytes": nbytes, "algorithm": name}
        live = simgrid.seconds(program, xml, hosts.tolist(), nbytes, smpi, simgrid.PLAIN) * 1e6
        assert ours(row, ENVELOPE) == pytest.approx(live, rel=5e-5), row
    factors = {"smpi/simulate-computation": "no", "smpi/wtime": "0"}  # SMPI's own factors for latency and bandwidth
    wrong = simgrid.seconds(program, simgrid.star(8), list(range(8)), 65536, "lr", factors) * 1e6
    right = ours({"platform": "star", "ranks": 8, "placement": "natural", "nbytes": 65536, "algorithm": "ring"}, 16)
    assert abs(wrong / right - 1) > 0.1
