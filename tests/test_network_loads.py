"""Contention of 17 algorithms on 8 networks: the busiest link of every step, added up, in units of the buffer."""

import numpy as np
import pytest

from core.algorithms import ALGORITHMS
from core.explain import link_loads
from core.network import simulate
from core.topologies import crossbar, fat_tree, ring, torus

NETWORKS = (  # links of 1 buffer a second and no latency, for p ranks
    lambda p: crossbar(p, 0, 1.0),
    lambda p: ring(p, 0, 1.0),
    lambda p: torus((p // 4, 4), 0, 1.0),
    lambda p: fat_tree(p, 5, 4, 0, 1.0),  # four hosts a leaf, one cable up: 4:1
)
TABLE = {  # p = 8: crossbar, ring, torus, fat tree; then p = 16
    ("linear",): (14, 8, 8, 14, 30, 16, 16, 30),
    ("one_shot",): (7, 8, 4, 16, 15, 32, 8, 48),
    ("direct",): (1.75, 2, 1, 4, 1.875, 4, 1, 6),
    ("ring",): (1.75, 1.75, 1.75, 1.75, 1.875, 1.875, 1.875, 1.875),
    ("bidirectional_ring",): (1.75, 0.875, 0.875, 1.75, 1.875, 0.9375, 0.9375, 1.875),
    ("recursive_doubling",): (3, 5, 3, 6, 4, 11, 4, 10),
    ("halving_doubling", "order", "near"): (1.75, 2.5, 1.75, 2.5, 1.875, 3.5, 1.875, 3),
    ("halving_doubling", "order", "far"): (1.75, 3.25, 1.75, 4.75, 1.875, 6.625, 1.875, 6.375),
    ("circulant",): (1.75, 3.25, 1.75, 5.25, 1.875, 6.625, 1.875, 6.625),
    ("pat",): (1.75, 2.5, 1.75, 3, 1.875, 3.5, 1.875, 3.5),
    ("swing", "variant", "latency"): (3, 4, 3, 5, 4, 7, 4, 9),
    ("swing", "variant", "bandwidth"): (1.75, 2, 1.75, 2.5, 1.875, 2.375, 1.875, 3),
    ("binomial_tree",): (6, 6, 6, 6, 8, 8, 8, 8),
    ("double_tree", "num_segments", 1): (5, 4, 3.5, 5, 7, 6, 4.5, 7),
    ("bcube", "radix", 4): (1.75, 2.5, 1.25, 2.5, 1.875, 3, 1.25, 3),
    ("hierarchical", "ranks_per_node", 4): (1.75, 2, 1.75, 2.5, 1.875, 3, 1.875, 3),
    ("torus", "width", 4, "colours", "all"): (1.75, 2.375, 1.375, 3.25, 1.875, 4.6875, 0.9375, 3.75),
}


@pytest.mark.parametrize("key", TABLE, ids=lambda key: "-".join(map(str, key)))
def test_busiest_links(key):
    name, *pairs = key
    options = dict(zip(pairs[::2], pairs[1::2]))
    found = []
    for world_size in (8, 16):
        schedule = ALGORITHMS[name](world_size, **options)
        found += [simulate(schedule, 1.0, network(world_size), model="lockstep").seconds for network in NETWORKS]
    assert found == pytest.approx(TABLE[key], abs=1e-9)


def test_the_heat_of_links():
    schedule, network = ALGORITHMS["halving_doubling"](8, order="far"), fat_tree(8, 5, 4, 0, 1.0)
    loads = link_loads(schedule, 8.0, network)
    assert loads.heat.max() == 1.0
    busiest = int(np.argmax(loads.heat))
    assert {"leaf", "spine"} == {end.split()[0] for end in loads.names[busiest]}
    up = network.src == 0
    assert loads.nbytes[up].tolist() == [2 * 7 / 8 * 8.0]
    moved = link_loads(schedule, 8.0, network, placement=[1, 0, 2, 3, 4, 5, 6, 7])
    assert moved.names[int(np.flatnonzero(up)[0])][0] == "rank 1"
