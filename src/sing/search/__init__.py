"""Best-first search, A* on costs, and shorter plans from a plan, all through the core."""
