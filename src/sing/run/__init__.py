"""Whole runs from files to results: solve, learn, many problems in one call."""
