"""States with estimated distances to the goal: what networks are trained on."""
