"""Workers and their rounds: shares of the data, Byzantine workers, all that a round draws."""
