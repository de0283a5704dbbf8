"""Algorithms for reduce: rank 0 ends with the sum of all buffers."""
