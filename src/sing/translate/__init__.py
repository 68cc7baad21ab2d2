"""From PDDL to a task, and PDDL problems of our own making."""

from sing.translate.translator import translate

__all__ = ["translate"]
