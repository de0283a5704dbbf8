"""Algorithms for gather: rank r starts with chunk r, rank 0 ends with all chunks."""
