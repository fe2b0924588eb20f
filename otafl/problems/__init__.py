"""What is learned: local losses, their minimisers and gradients, vectorised over workers and runs."""
