"""Best-first search, and shorter plans from a plan, both through the core."""
