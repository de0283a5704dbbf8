"""Run SimGrid's SMPI, where it is installed, on the networks that the reference times were measured on."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
PLAIN = {  # a pure latency-bandwidth network, every message with rendezvous
    "network/model": "CM02",
    "network/bandwidth-factor": "1",
    "network/latency-factor": "1",
    "network/weight-S": "0",
    "network/TCP-gamma": "0",
    "network/crosstraffic": "0",
    "smpi/simulate-computation": "no",
    "smpi/wtime": "0",
    "smpi/send-is-detached-thresh": "0",
}


def installed() -> bool:
    return shutil.which("smpirun") is not None and shutil.which("smpicc") is not None


def build(folder: Path) -> Path:
    program = folder / "all_reduce"
    subprocess.run(
        ["smpicc", "-O1", "-o", program, HERE / "all_reduce.c"], check=True, capture_output=True, timeout=120
    )
    return program


def seconds(program: Path, platform: str, hosts: list[int], nbytes: int, algorithm: str, settings: dict) -> float:
    """Simulated seconds of one all-reduce with one of SMPI's algorithms (lr: ring, rdb: recursive doubling ...)."""
    folder = program.parent
    (folder / "platform.xml").write_text(platform)
    (folder / "hosts").write_text("".join(f"h{host}\n" for host in hosts))
    config = [f"--cfg={name}:{value}" for name, value in {**settings, "smpi/allreduce": algorithm}.items()]
    command = ["smpirun", "-np", str(len(hosts)), "-platform", "platform.xml", "-hostfile", "hosts", *config]
    command += ["--log=root.thresh:critical", str(program), str(nbytes)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=True)
    return float(re.search(r"seconds ([0-9.]+)", done.stdout)[1])


def cluster(world_size: int, latency_ns: int, wiring: str = "") -> str:
    """A platform file: hosts h0, h1, ... with full-duplex links of 12.5 GB/s and this latency a link."""
    return (
        '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        '<platform version="4.1">\n'
        f'<cluster id="c" prefix="h" suffix="" radical="0-{world_size - 1}" speed="1Gf" bw="12500000000Bps" '
        f'lat="{latency_ns}ns" {wiring} sharing_policy="SPLITDUPLEX" loopback_bw="1000000000000Bps" '
        'loopback_lat="0ns"/>\n</platform>\n'
    )


def star(world_size: int) -> str:
    return cluster(world_size, 2500)


def fat_tree(world_size: int) -> str:
    """Two levels, 16 hosts a leaf, 8 spines."""
    wiring = f'topology="FAT_TREE" topo_parameters="2;16,{world_size // 16};1,8;1,1"'
    return cluster(world_size, 1250, wiring)
