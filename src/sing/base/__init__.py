"""What every other folder uses and what knows nothing of planning: errors, outcomes, budget, files, reporters."""
