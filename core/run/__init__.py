"""Carry out schedules for real. The only place for mpi4py and torch, imported inside functions."""
