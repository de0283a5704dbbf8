"""Widgets to choose an algorithm, ranks, options and a machine. What is impossible is refused in a sentence."""

from __future__ import annotations

import streamlit as st

from core.algorithms import ALGORITHMS
from core.algorithms.base import Algorithm, Option
from core.collective import Collective
from core.machines import MACHINES, Machine
from lessons.parts.links import linked, one_of, whole

MAX_RANKS, MAX_STEPS, MAX_TRANSFERS, MAX_CELLS = 1024, 20_000, 3_000_000, 4_000_000
OWN = "my own numbers"


def pick_algorithm(
    key: str,
    default: str = "ring",
    *,
    ranks: int = 8,
    max_ranks: int = MAX_RANKS,
    collective: Collective | None = None,
    prefix: str = "",
    label: str = "Algorithm",
) -> tuple[Algorithm, int, dict]:
    """(algorithm, world_size, options), chosen with widgets in the current container.

    Query parameters: `algorithm`, `ranks` and one for each option, each with `prefix` before it.
    Stops the page with the algorithm's own sentence where the combination is impossible.
    """
    algorithm = pick_name(key, default, collective=collective, prefix=prefix, label=label)
    world_size = pick_ranks(key, ranks, prefix=prefix)
    options = pick_options(key, algorithm, prefix=prefix)
    stop_if_impossible(algorithm, world_size, options, max_ranks)
    return algorithm, world_size, options


def pick_name(
    key: str, default: str, *, collective: Collective | None = None, prefix: str = "", label: str = "Algorithm"
) -> Algorithm:
    names = [name for name, a in ALGORITHMS.items() if collective is None or a.collective is collective]
    name = linked(
        st.selectbox,
        label,
        key=f"{key}.algorithm",
        name=f"{prefix}algorithm",
        default=default,
        read=one_of(names),
        options=names,
        width=175,
    )
    return ALGORITHMS[name]


def pick_ranks(key: str, default: int = 8, *, prefix: str = "") -> int:
    """Any whole number: what is impossible is refused in words, not silently changed."""
    return linked(
        st.number_input,
        "Ranks",
        key=f"{key}.ranks",
        name=f"{prefix}ranks",
        default=default,
        read=whole,
        step=1,
        help="How many ranks take part (GPUs, or processes).",
        width=115,
    )


def pick_options(key: str, algorithm: Algorithm, *, prefix: str = "", label: str = "") -> dict:
    """{option: value}, one widget for each option the algorithm declares."""
    last, state = f"{key}.options of", st.session_state
    stale = {name for a in ALGORITHMS.values() for name in a.options} - set(algorithm.options)
    if state.get(last, algorithm.name) != algorithm.name:
        stale |= set(algorithm.options)  # what stands in the address belonged to the algorithm chosen before
    state[last] = algorithm.name
    for name in stale:
        st.query_params.pop(f"{prefix}{name}", None)
    asked = {}
    for name, option in algorithm.options.items():
        words = f"{label}{name.replace('_', ' ')}".capitalize()
        asked[name] = _option(f"{key}.{algorithm.name}.{name}", f"{prefix}{name}", words, option)
    return asked


def _option(key: str, name: str, label: str, option: Option):
    """A menu of the option's choices, or a number between its limits."""
    if option.choices:
        more = {"options": list(option.choices), "read": one_of(option.choices)}
        return linked(
            st.selectbox, label, key=key, name=name, default=option.default, help=option.help, width=110, **more
        )

    def read(text: str) -> int:
        value = whole(text)
        if problem := option.refuse(name, value):
            raise ValueError(problem)
        return value

    limits = {"min_value": option.low, "max_value": option.high, "step": 1}
    return linked(
        st.number_input,
        label,
        key=key,
        name=name,
        default=option.default,
        read=read,
        help=option.help,
        width=110,
        **limits,
    )


def stop_if_impossible(algorithm: Algorithm, world_size: int, options: dict, max_ranks: int = MAX_RANKS) -> None:
    """Say why, and stop the page, where there is no schedule or it is too large to play."""
    if problem := refusal(algorithm, world_size, options, max_ranks):
        st.error(f"**{algorithm.name}**: {problem}")
        st.stop()


def refusal(algorithm: Algorithm, world_size: int, options: dict, max_ranks: int = MAX_RANKS) -> str:
    """Why this cannot be shown, or "". Looks at the declared cost, so that nothing large is built to find out."""
    if world_size > max_ranks:
        return f"{world_size:,} ranks: this page takes 1 to {max_ranks:,}. Choose fewer."
    if problem := algorithm.refuse(world_size, **options):
        return problem
    cost, chunks = algorithm.cost(world_size, **options), algorithm.num_chunks(world_size, **options)
    if cost.steps > MAX_STEPS or cost.messages * world_size > MAX_TRANSFERS or chunks * world_size > MAX_CELLS:
        messages = cost.messages * world_size
        return (
            f"{cost.steps:,.0f} steps, about {messages:,.0f} messages, {chunks * world_size:,} cells: "
            f"this page plays up to {MAX_STEPS:,}, {MAX_TRANSFERS:,} and {MAX_CELLS:,}. Choose fewer ranks or segments."
        )
    return ""


def pick_machine(key: str, default: str = "400 Gb InfiniBand") -> Machine:
    """A machine from the list, or one of the reader's own numbers."""
    names = [*MACHINES, OWN]
    name = linked(
        st.selectbox,
        "Machine",
        key=f"{key}.machine",
        name="machine",
        default=default,
        read=one_of(names),
        options=names,
        help="Sets alpha (seconds a message), bandwidth (1/beta) and reducing rate (1/gamma).",
        width=175,
    )
    return MACHINES[name] if name != OWN else _own_machine(key)


def _own_machine(key: str) -> Machine:
    fields = (  # name, label, default, what it means
        ("alpha", "alpha (us)", 5.0, "Microseconds to get one message going."),
        ("bandwidth", "bandwidth (GB/s)", 50.0, "1/beta: one port, one direction, 10^9 bytes a second."),
        ("reducing", "reducing (GB/s)", 0.0, "1/gamma: how fast a rank adds. 0 means it costs no time."),
    )
    alpha, bandwidth, reducing = (
        linked(
            st.number_input,
            label,
            key=f"{key}.{name}",
            name=name,
            default=default,
            read=_amount,
            min_value=0.0,
            help=text,
            width=150,
        )
        for name, label, default, text in fields
    )
    if bandwidth <= 0:
        st.error("Bandwidth is 0: no byte would ever arrive. Choose more than 0 GB/s.")
        st.stop()
    return Machine(alpha * 1e-6, 1 / (bandwidth * 1e9), 1 / (reducing * 1e9) if reducing else 0.0, name=OWN)


def _amount(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise ValueError("it must be a number") from None
    if not 0 <= number <= 1e12:
        raise ValueError("it must be 0 to 10^12")
    return number
