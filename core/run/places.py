"""Find what touches a stretch of memory, without comparing everything with everything."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Places(Generic[Item]):
    """Things that each lie at elements first .. last-1 of one vertex's data."""

    def __init__(self):
        self.sorted: list[tuple[int, int, int]] = []  # first, which, last
        self.items: list[Item] = []
        self.longest = 0

    def add(self, first: int, last: int, item: Item) -> None:
        insort(self.sorted, (first, len(self.items), last))
        self.items.append(item)
        self.longest = max(self.longest, last - first)

    def touching(self, first: int, last: int) -> Iterator[Item]:
        """Those that share elements with first .. last-1; one item as often as it was added.

        >>> places = Places()
        >>> places.add(0, 4, "a")
        >>> places.add(4, 9, "b")
        >>> list(places.touching(3, 4)), list(places.touching(2, 5))
        (['a'], ['a', 'b'])
        """
        begin = bisect_left(self.sorted, (first - self.longest,))
        end = bisect_left(self.sorted, (last,))
        return (self.items[which] for _, which, end_ in self.sorted[begin:end] if end_ > first)
