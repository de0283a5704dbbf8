"""Questions about the basics, for lessons to open with while nothing else was missed."""

import numpy as np

from core.algorithms import ALGORITHMS
from core.replay import reduce_buffers
from lessons.parts.ask import Choice, Question


def waiting_for() -> Question:
    """How to read a cell."""
    missing = sorted(set(range(4)) - {0, 2})
    return Question(
        "review-cell",
        "choice",
        "On 4 ranks, a cell holds the contributions of ranks 0 and 2. What is it still waiting for?",
        answer=" and ".join(map(str, missing)),
        options={
            "1 and 3": Choice("Ranks 1 and 3", "A cell is a set of contributions, and these two are not in it."),
            "0 and 2": Choice("Ranks 0 and 2", "Those are inside already; adding them again counts them twice."),
            "nothing": Choice("Nothing, it holds a number", "A sum of two is not yet the sum.", "cell-is-a-number"),
        },
    )


def largest() -> Question:
    """Element by element, not inside a buffer."""
    inputs = np.array([[3, 1], [2, 5], [9, 0]])
    return Question(
        "review-max",
        "choice",
        f"Three ranks hold {', '.join(map(str, inputs.tolist()))}. What has each after an all-reduce with MAX?",
        answer=str(reduce_buffers(ALGORITHMS["ring"](3), inputs, op="max")[0].tolist()),
        options={
            "[9, 5]": Choice("[9, 5]", "Element by element: the largest first, the largest second."),
            "9": Choice("9", "The operation runs across ranks, not inside a buffer: the shape stays."),
            "[9, 0]": Choice("[9, 0]", "No rank wins as a whole: every element is decided for itself."),
        },
    )
