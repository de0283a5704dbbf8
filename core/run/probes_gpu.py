"""Which graphics processors are here, how they are wired, and how fast they copy.

The driver's own library (nvidia-ml-py) knows the wiring, torch can measure. Either may be missing. Written from the
documentation of both; not yet run on a machine with a GPU.
"""

from __future__ import annotations

import itertools
import os
import statistics
from contextlib import suppress

from core.run.runtimes import Missing

SIGNS = ("/dev/nvidiactl", "/proc/driver/nvidia/version", "/dev/kfd", "/dev/dxg")  # files that a GPU's driver makes
LANE = {1: 0.25e9, 2: 0.5e9, 3: 0.985e9, 4: 1.969e9, 5: 3.938e9, 6: 7.563e9}  # PCIe, bytes/s of a lane, one direction
MOST = 256 << 20  # bytes copied at once
SMALL, REPEATS, SENT = 8, 7, 20_250_601
NO_GPU = "no driver of a GPU answers: this needs a machine with an NVIDIA GPU (virtual ranks also run on the CPU)"
GET_CUDA = "pip install --force-reinstall torch"
GET_NVML = "pip install nvidia-ml-py"


def look() -> dict:
    """{"gpus": [...], "links": [...], "driver", "notes"}; bandwidths in bytes per second, latencies in seconds."""
    if not may_have_gpu():
        raise Missing(NO_GPU)
    found = {"gpus": [], "links": [], "driver": "", "notes": []}
    for part in (_ask_driver, _measure):
        try:
            part(found)
        except Missing as missing:
            found["notes"].append(str(missing))
    if not found["gpus"]:
        raise Missing("; ".join([*found["notes"], NO_GPU]))
    return found


def may_have_gpu() -> bool:
    """Is there a file that a GPU's driver makes? Where drivers make none, it may be."""
    return os.name != "posix" or any(map(os.path.exists, SIGNS))


def through_mpi(torch, comm) -> dict:
    """Rank 0 sends four bytes of a GPU's memory to rank 1. An MPI that cannot may end both processes: that means no."""
    word = torch.full((1,), SENT if comm.rank == 0 else 0, dtype=torch.int32, device="cuda")
    torch.cuda.synchronize()  # MPI knows nothing of streams
    if comm.rank == 0:
        comm.Send(word, 1)
    else:
        comm.Recv(word, 0)
        torch.cuda.synchronize()
    return {"aware": comm.bcast(int(word.item()), 1) == SENT}


def _ask_driver(found: dict) -> None:
    try:
        import pynvml as nvml
    except ImportError:
        raise Missing(f"the wiring is not known without the driver's library: {GET_NVML}") from None
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as problem:
        raise Missing(f"the NVIDIA driver does not answer ({problem})") from None
    found["driver"] = _text(nvml.nvmlSystemGetDriverVersion())
    handles = [nvml.nvmlDeviceGetHandleByIndex(i) for i in range(nvml.nvmlDeviceGetCount())]
    found["gpus"] = [_one(nvml, handle) for handle in handles]
    found["links"] = [
        {"src": i, "dst": j, "kind": _kind(nvml, handles[i], handles[j])}
        for i, j in itertools.permutations(range(len(handles)), 2)
    ]
    nvml.nvmlShutdown()


def _one(nvml, handle) -> dict:
    gpu = {
        "name": _text(nvml.nvmlDeviceGetName(handle)),
        "memory": int(nvml.nvmlDeviceGetMemoryInfo(handle).total),
        "bus": _text(nvml.nvmlDeviceGetPciInfo(handle).busId),
    }
    with suppress(nvml.NVMLError):
        lanes = nvml.nvmlDeviceGetMaxPcieLinkWidth(handle)
        gpu["pcie"] = LANE.get(nvml.nvmlDeviceGetMaxPcieLinkGeneration(handle), 0.0) * lanes
    gpu["nvlinks"] = sum(_active(nvml, handle, link) for link in range(getattr(nvml, "NVML_NVLINK_MAX_LINKS", 0)))
    return gpu


def _active(nvml, handle, link: int) -> bool:
    with suppress(nvml.NVMLError):
        return nvml.nvmlDeviceGetNvLinkState(handle, link) == nvml.NVML_FEATURE_ENABLED
    return False


def _kind(nvml, one, other) -> str:
    """The best cable between two GPUs: NVLink, or how far apart they are on PCIe."""
    with suppress(nvml.NVMLError):
        if nvml.nvmlDeviceGetP2PStatus(one, other, nvml.NVML_P2P_CAPS_INDEX_NVLINK) == nvml.NVML_P2P_STATUS_OK:
            return "NVLink"
    with suppress(nvml.NVMLError):
        common = nvml.nvmlDeviceGetTopologyCommonAncestor(one, other)
        return "PCIe" if common < nvml.NVML_TOPOLOGY_NODE else "PCIe and processors"
    return "PCIe"


def _text(value) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _measure(found: dict) -> None:
    """Add to each GPU how fast its memory copies, and to each pair how fast one reaches the other."""
    try:
        import torch
    except (ImportError, OSError) as problem:
        raise Missing(f"nothing could be measured: torch cannot be loaded ({problem})") from None
    if not torch.cuda.is_available():
        built = "was built without CUDA" if not torch.version.cuda else "finds no GPU that it can use"
        raise Missing(f"nothing could be measured: torch {torch.__version__} {built}: {GET_CUDA}")
    count = torch.cuda.device_count()
    known = found["gpus"] or [{} for _ in range(count)]
    for i, gpu in enumerate(known[:count]):
        about = torch.cuda.get_device_properties(i)
        gpu |= {"name": about.name, "memory": about.total_memory, "processors": about.multi_processor_count}
        gpu["copy"], gpu["latency"] = _copies(torch, i, i)
    found["gpus"] = known
    links = found["links"] or [{"src": i, "dst": j, "kind": "link"} for i, j in itertools.permutations(range(count), 2)]
    for link in links:
        if max(link["src"], link["dst"]) < count:
            link["bandwidth"], link["latency"] = _copies(torch, link["src"], link["dst"])
            link["direct"] = torch.cuda.can_device_access_peer(link["src"], link["dst"])
    found["links"] = links


def _copies(torch, src: int, dst: int) -> tuple[float, float]:
    """(bytes per second of a large copy, seconds of a small one) from one GPU to another, or inside one."""
    free, _ = torch.cuda.mem_get_info(src)
    large = int(min(MOST, free // 8))
    return large / _seconds(torch, src, dst, large), _seconds(torch, src, dst, SMALL)


def _seconds(torch, src: int, dst: int, nbytes: int) -> float:
    """The median time of one copy, by the GPU's own clock; the first ones warm up."""
    with torch.cuda.device(src):
        here = torch.zeros(nbytes, dtype=torch.uint8, device=f"cuda:{src}")
        there = torch.empty(nbytes, dtype=torch.uint8, device=f"cuda:{dst}")
        seen = []
        for _ in range(REPEATS + 2):
            began, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            began.record()
            there.copy_(here, non_blocking=True)
            ended.record()
            ended.synchronize()
            seen.append(began.elapsed_time(ended) / 1e3)
        return statistics.median(seen[2:])
