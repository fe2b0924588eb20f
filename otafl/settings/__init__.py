"""The keys of a run: tables with defaults, units and rules of a single key."""
