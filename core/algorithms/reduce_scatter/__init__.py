"""Algorithms for reduce-scatter: rank r ends with chunk r of the sum."""
