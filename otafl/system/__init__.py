"""The machine and its files: memory, threads, files that are whole or absent, plain texts."""
