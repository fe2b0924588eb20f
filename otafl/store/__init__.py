"""Store: results and checkpoints of runs, by names that are hashes of all that a result depends on."""
