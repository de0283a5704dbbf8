"""Algorithms for broadcast: everyone ends with a copy of the buffer of rank 0."""
