"""A regression of so few unknowns that its programs are compiled soon."""

SMALL = {"problem.dataset": "synthetic", "problem.dimension": 4, "problem.samples": 300}
