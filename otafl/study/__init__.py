"""Studies: every point of a sweep and every seed is a run, and like runs go together."""
