"""Named sets of alpha, beta and gamma, each with its source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    """The numbers of the cost model: one rank's port, the same everywhere."""

    alpha: float  # seconds per message
    beta: float  # seconds per byte
    gamma: float = 0.0  # seconds per byte reduced
    multiport: bool = False  # can a rank send all the messages of one step at once?
    name: str = ""
    source: str = ""

    def __post_init__(self):
        for letter in ("alpha", "beta", "gamma"):
            value = getattr(self, letter)
            if not 0 <= value < float("inf"):
                raise ValueError(f"{letter} is {value}: it must be a time, zero or more")


MACHINES = {
    machine.name: machine
    for machine in (
        Machine(
            5e-6, 1 / 50e9, name="400 Gb InfiniBand", source="50 GB/s is 400 Gb/s; 5 us a message is typical of MPI"
        ),
        Machine(
            5e-6, 1 / 12.5e9, name="100 Gb Ethernet", source="12.5 GB/s is 100 Gb/s; 5 us as in the SimGrid platform"
        ),
        Machine(3e-6, 1 / 450e9, name="NVLink 4", source="DGX H100: 900 GB/s both ways, so 450 GB/s one way"),
        Machine(0.5e-6, 1 / 10e9, 1 / 40e9, name="Laptop memory", source="shared memory on a 2-core virtual machine"),
    )
}
