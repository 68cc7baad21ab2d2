"""The planners by name: how each one learns and searches, alone or several together."""
