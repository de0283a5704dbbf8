"""Algorithms for all-gather: rank r starts with chunk r, and everyone ends with all chunks."""
