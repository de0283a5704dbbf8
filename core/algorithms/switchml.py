"""SwitchML: one switch adds up packets in a few slots; a slot is free for its next packet once its sum has come back.

Two ranks send three packets through two slots; the last column is the switch.

>>> from core.figures.table import table
>>> print(table(switchml(2, num_segments=3)))
start      c0  a   b
           c1  a   b
           c2  a   b
up         c0  a   b   ab
           c1  a   b
           c2  a   b
up + down  c0  ab  ab  ab
           c1  a   b   ab
           c2  a   b
up + down  c0  ab  ab  ab
           c1  ab  ab  ab
           c2  a   b   ab
down       c0  ab  ab  ab
           c1  ab  ab  ab
           c2  ab  ab  ab
"""

from dataclasses import replace

import numpy as np

from core.algorithms.base import SEGMENTS, Option, algorithm, pipeline
from core.cost import Cost
from core.schedule import COPY, REDUCE, send


def _cost(n, num_segments, num_slots):
    steps = 2 * num_segments if num_slots == 1 else num_segments + 1
    return Cost(steps, traffic=steps / num_segments, work=0)


@algorithm(
    num_chunks=lambda n, num_segments, num_slots: num_segments,
    cost=_cost,
    options={
        "num_segments": replace(SEGMENTS, default=4, examples=(1,)),
        "num_slots": Option(
            2,
            "How many packets the switch can hold; with 2 or more, one goes up while another comes down.",
            examples=(1,),
        ),
    },
    reference="Sapio et al., Scaling Distributed Machine Learning with In-Network Aggregation, NSDI 2021",
    extra="none at the ranks; the switch holds num_slots packets, and a second copy of each against loss",
    users="research, on programmable (Tofino) switches; numbers travel as scaled 32-bit integers",
    also_called="in-network aggregation; slot pool",
)
def switchml(world_size, num_segments=4, num_slots=2):
    rank, switch = np.arange(world_size), world_size
    up = send(rank, switch, chunk=0, op=REDUCE, phase="up")
    down = send(switch, rank, chunk=0, op=COPY, phase="down")
    if num_slots > 1:  # a packet occupies its slot for two steps: up and down
        yield from pipeline([up, down], num_segments)
    else:
        for segment in range(num_segments):
            yield from (replace(step, chunk=step.chunk + segment) for step in (up, down))
