"""The unified-planning engine."""

from sing.up.engine import SingEngine

__all__ = ["SingEngine"]
