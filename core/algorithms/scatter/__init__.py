"""Algorithms for scatter: rank 0 starts with all chunks, rank r ends with chunk r."""
