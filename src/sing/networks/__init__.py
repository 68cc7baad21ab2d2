"""Networks: what their inputs mean, how they are trained, and the files they are kept in."""
