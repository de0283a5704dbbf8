"""Algorithms for the barrier: nobody leaves before everybody has arrived."""
