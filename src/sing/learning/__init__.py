"""From a task to a learned heuristic."""
