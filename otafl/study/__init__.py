"""Studies: each point of a sweep under each seed is a run; runs that differ in numbers alone are computed together."""
