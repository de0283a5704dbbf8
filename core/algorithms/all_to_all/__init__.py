"""Algorithms for all-to-all: everyone has something else for everyone."""
