"""Which is it called? The same algorithm under its names in libraries and papers.

Names are those of the sources: NCCL 2.30, Open MPI 6.1 (with its number in coll_tuned), MPICH, Gloo, UCC and oneCCL.
A dash means that the library does not have it, as far as we have read.
"""

from __future__ import annotations

from typing import NamedTuple

NONE = "–"


class Names(NamedTuple):
    algorithm: str  # our name, a key of core.algorithms.ALGORITHMS
    nccl: str = NONE
    open_mpi: str = NONE
    mpich: str = NONE
    gloo: str = NONE
    others: str = NONE  # UCC, oneCCL, MSCCL++, vLLM and so on
    papers: str = NONE


HEADS = {
    "algorithm": "Here",
    "nccl": "NCCL, RCCL",
    "open_mpi": "Open MPI",
    "mpich": "MPICH",
    "gloo": "Gloo",
    "others": "Others",
    "papers": "Papers and books",
}

NAMES = (
    Names(
        "ring",
        nccl="Ring",
        open_mpi="ring (4)",
        mpich="ring",
        gloo="ring (default of allreduce)",
        others="ring (UCC, oneCCL); Baidu all-reduce; ring (tinygrad)",
        papers="bandwidth-optimal ring (Patarasuk and Yuan 2009); bucket algorithm",
    ),
    Names("segmented_ring", open_mpi="segmented_ring (5)", gloo="ring_chunked", papers="pipelined ring"),
    Names("full_vector_ring", gloo="allreduce_ring", papers="circulating whole vectors"),
    Names("multi_ring", nccl="Ring on several channels", papers="edge-disjoint rings"),
    Names("bidirectional_ring", others="two-way ring on TPUs (XLA)", papers="counter-rotating rings"),
    Names(
        "direct",
        nccl="RSxLD_AGxST (symmetric kernel)",
        gloo="bcube with a prime number of ranks",
        others="two-shot (vLLM, TensorRT-LLM, PyTorch); all-pairs (MSCCL); nreduce (oneCCL)",
        papers="sharded parameter server; direct reduce-scatter and all-gather",
    ),
    Names(
        "one_shot",
        nccl="AGxLL_R (symmetric kernel)",
        open_mpi="allgather_reduce (7)",
        others="one-stage (vLLM); one-shot (TensorRT-LLM, PyTorch); all-pair packet (MSCCL++); naive (tinygrad)",
        papers="all-gather and local reduction",
    ),
    Names("linear", open_mpi="basic_linear (1)", papers="parameter server with one server; reduce and broadcast"),
    Names(
        "recursive_doubling",
        open_mpi="recursive_doubling (3)",
        mpich="recursive_doubling",
        others="recursive doubling (oneCCL); k-nomial with k=2 (UCC)",
        papers="butterfly; bidirectional exchange",
    ),
    Names(
        "recursive_multiplying",
        mpich="recursive_multiplying, recexch",
        others="k-nomial (UCC)",
        papers="radix-k exchange",
    ),
    Names(
        "halving_doubling",
        open_mpi="rabenseifner (6)",
        mpich="reduce_scatter_allgather",
        others="VHDD of Horovod's Adasum (same pattern)",
        papers="Rabenseifner's algorithm; recursive vector halving and distance doubling",
    ),
    Names("binary_blocks", gloo="halving_doubling", papers="binary blocks (Rabenseifner and Traeff 2004)"),
    Names(
        "bcube",
        mpich="k_reduce_scatter_allgather (nearly)",
        gloo="bcube",
        others="sra_knomial (UCC)",
        papers="mixed-radix exchange",
    ),
    Names(
        "circulant",
        papers="circulant reduce-scatter and all-gather (Traeff 2024); cyclic permutations (Kolmakov and Zhang 2020)",
    ),
    Names("pat", nccl="PAT (all-gather and reduce-scatter only)", papers="Parallel Aggregated Trees (Jeaugey 2025)"),
    Names("swing", others="swing, bine (libbine)", papers="Swing (De Sensi et al. 2024)"),
    Names("census", papers="census functions (Bar-Noy et al. 1993); Bruck and Ho 1993"),
    Names(
        "binomial_tree",
        open_mpi="nonoverlapping (2)",
        mpich="tree with knomial_1, k=2",
        papers="minimum spanning tree; reduce and broadcast",
    ),
    Names("knomial_tree", open_mpi="knomial reduce and broadcast", mpich="tree with knomial_1", others="knomial (UCC)"),
    Names("kary_tree", open_mpi="binary reduce and broadcast", mpich="tree with kary", papers="complete k-ary tree"),
    Names(
        "chain",
        nccl="chain inside a node (part of Tree); Ring broadcast and reduce",
        open_mpi="pipeline, chain (reduce and broadcast)",
        papers="linear pipeline",
    ),
    Names(
        "double_tree",
        nccl="Tree",
        others="dbt (UCC); double_tree (oneCCL)",
        papers="two-tree (Sanders, Speck and Traeff 2009)",
    ),
    Names("dual_root", papers="doubly-pipelined dual-root reduction-to-all (Traeff 2021)"),
    Names(
        "leader",
        nccl="Tree (chain inside, double tree across)",
        open_mpi="HAN",
        mpich="smp; composition alpha",
        papers="two-level, leader-based",
    ),
    Names(
        "hierarchical",
        mpich="composition delta (multi-leader)",
        others="NCCLHierarchical, NCCLTorus (Horovod); cl/hier rab, split rail (UCC)",
        papers="2D-torus all-reduce (Mikami et al. 2018)",
    ),
    Names("blueconnect", papers="BlueConnect (Cho et al. 2019)"),
    Names("torus", others="multi-axis ring on TPU pods (XLA)", papers="bucket algorithm on a torus"),
    Names(
        "sharp",
        nccl="CollNet (through the SHARP plugin)",
        others="SHARP (HCOLL, UCC)",
        papers="SHArP (Graham et al. 2016)",
    ),
    Names("switchml", papers="SwitchML (Sapio et al. 2021)"),
    Names(
        "nvls",
        nccl="NVLS; RSxLDMC_AGxSTMC, AGxLLMC_R",
        others="NVLS (MSCCL++); multimem (PyTorch)",
        papers="NVLink SHARP",
    ),
    Names("nvls_tree", nccl="NVLSTree"),
    Names("collnet", nccl="CollNetDirect, CollNetChain, NVLS with CollNet"),
    Names(
        "reduce_scatter_all_gather", open_mpi="reduce_scatter, then allgather", papers="RS + AG; ZeRO's gradient step"
    ),
)
