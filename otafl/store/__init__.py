"""The store: results and checkpoints of runs, each under a name that stands for all that its result depends on."""
