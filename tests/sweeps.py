"""What a saved sweep holds, for the tests that need one."""

ABOUT = {
    "world_size": 4,
    "backend": "mpi",
    "dtype": "float32",
    "op": "sum",
    "machine": {"processor": "Intel(R) Xeon(R) CPU @ 2.20GHz", "cores": 4, "hosts": 1},
    "versions": {"MPI": "MPICH 5.0.2"},
    "date": "2026-11-29T10:00:00+00:00",
    "command": "python -m core.run --backend mpi -n 4",
}


def row(label: str, nbytes: int, median: float) -> dict:
    return {
        "label": label,
        "nbytes": nbytes,
        "median": median,
        "best": median,
        "worst": median,
        "algbw": nbytes / median,
        "busbw": 1.5 * nbytes / median,
        "foreign": 0.01,
    }


def result(*rows: dict, **about) -> dict:
    return {"rows": list(rows), "about": ABOUT | about}
