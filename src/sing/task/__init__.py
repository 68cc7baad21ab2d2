"""Planning tasks in SAS+, and plans for them."""
