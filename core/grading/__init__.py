"""Exercises that are judged by the proof, never by comparing with a key. Only data is judged, no code is run."""
