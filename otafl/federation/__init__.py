"""Workers and their rounds: shares of the data, hostile workers, all that a round draws."""
