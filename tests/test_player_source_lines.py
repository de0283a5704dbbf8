"""The lit line is the one that made the step."""

import pytest

from core.algorithms import ALGORITHMS
from core.figures.source_lines import source_lines


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_step_has_a_line_that_yields(name):
    algorithm = ALGORITHMS[name]
    text, lines = source_lines(algorithm, 8)
    assert len(lines) == algorithm(8).num_steps
    written = text.splitlines()
    assert all(0 <= line < len(written) for line in lines)
    for line in set(lines):  # a call may span lines: the statement begins at or above the line it waits at
        assert any("yield" in above for above in written[max(0, line - 6) : line + 1]), written[line]


def test_the_phases_of_a_ring_come_from_its_two_functions():
    text, lines = source_lines(ALGORITHMS["ring"], 4)
    written = text.splitlines()
    assert lines[:3] == [lines[0]] * 3
    assert lines[3:] == [lines[3]] * 3
    assert "op=REDUCE" in written[lines[0]]
    assert "op=COPY" in written[lines[3]]
