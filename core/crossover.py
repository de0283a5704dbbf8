"""Which of several algorithms is fastest where. In the cost model time grows as a straight line with the size."""

from __future__ import annotations

from core.cost import Cost
from core.machines import Machine
from core.units import show_bytes


def line(cost: Cost, machine: Machine) -> tuple[float, float]:
    """(seconds for an empty buffer, seconds for each byte)"""
    return cost.seconds(0, machine), cost.traffic * machine.beta + cost.work * machine.gamma


def crossover(first: Cost, second: Cost, machine: Machine) -> float | None:
    """The size in bytes at which both take equally long, or None where one is never slower than the other."""
    (a, slope_a), (b, slope_b) = line(first, machine), line(second, machine)
    if slope_a == slope_b or (size := (b - a) / (slope_a - slope_b)) <= 0:
        return None
    return size


def fastest(costs: dict[str, Cost], machine: Machine) -> list[tuple[float, str]]:
    """[(size in bytes from which it is fastest, name)], from the empty buffer upwards; ties go to the first named.

    >>> costs = {"few steps": Cost(steps=3, traffic=3, work=0), "few bytes": Cost(steps=14, traffic=1.75, work=0)}
    >>> fastest(costs, Machine(alpha=5e-6, beta=1 / 25e9))
    [(0.0, 'few steps'), (1100000.0, 'few bytes')]
    """
    lines = {name: line(cost, machine) for name, cost in costs.items()}
    name = min(lines, key=lines.get)
    winners, size = [(0.0, name)], 0.0
    while True:
        start, slope = lines[name]
        meets = {
            other: ((other_start - start) / (slope - other_slope), other_slope)
            for other, (other_start, other_slope) in lines.items()
            if other_slope < slope
        }
        meets = {other: at for other, at in meets.items() if at[0] > size}
        if not meets:
            return [(round(at, 3), winner) for at, winner in winners]
        name = min(meets, key=meets.get)
        size = meets[name][0]
        winners.append((size, name))


def fastest_ranks(seconds: dict[str, dict[int, float]]) -> list[tuple[int, str]]:
    """[(world size from which it is fastest, name)] from {name: {world size: seconds}}; sizes may be missing."""
    winners: list[tuple[int, str]] = []
    for world_size in sorted({n for of_sizes in seconds.values() for n in of_sizes}):
        name = min(
            (name for name in seconds if world_size in seconds[name]), key=lambda name: seconds[name][world_size]
        )
        if not winners or winners[-1][1] != name:
            winners.append((world_size, name))
    return winners


def told(one: str, two: str, costs: dict[str, Cost], machine: Machine) -> str:
    """Which of the two is faster where, in a sentence of Markdown."""
    first, second = line(costs[one], machine), line(costs[two], machine)
    if first == second:
        return f"**{one}** and **{two}** take equally long at every size."
    quick, other = (one, two) if first < second else (two, one)
    size = crossover(costs[one], costs[two], machine)
    if size is None:
        return f"**{quick}** is never slower than {other} here."
    return f"Below **{show_bytes(size)}** {quick} is faster, above it {other}."


def told_winners(costs: dict[str, Cost], machine: Machine) -> str:
    """Who is fastest from which size on."""
    first, *later = fastest(costs, machine)
    ranges = [f"**{first[1]}** from the smallest", *(f"**{name}** from {show_bytes(size)}" for size, name in later)]
    return f"Fastest of those drawn: {', '.join(ranges)}."


def told_sizes(seconds: dict[str, dict[float, float]]) -> str:
    """Who is fastest from which of the sizes on that were tried: {name: {bytes: seconds}}."""
    first, *later = fastest_ranks(seconds)
    ranges = [f"**{first[1]}** from the smallest", *(f"**{name}** from {show_bytes(size)}" for size, name in later)]
    return f"Fastest of those drawn, at the sizes tried: {', '.join(ranges)}."


def told_ranks(seconds: dict[str, dict[int, float]]) -> str:
    """Who is fastest from how many ranks on."""
    winners = [f"**{name}** from {world_size} ranks" for world_size, name in fastest_ranks(seconds)]
    return f"Fastest of those drawn: {', '.join(winners)}."
