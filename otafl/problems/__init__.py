"""Learning problems: local losses, their minimisers and gradients, vectorised over workers and runs."""
