"""Shared by all tests: tests that start processes or a browser run one after another, in one worker."""

import os

import pytest


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("live") or item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.xdist_group("alone"))


@pytest.fixture(scope="session")
def without():
    """What to call when something that a test needs is not here: in CI that is a failure, elsewhere a skip."""
    return pytest.fail if os.environ.get("CI") else pytest.skip
