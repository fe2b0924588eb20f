"""Gallery: what reads results, draws figures, judges claims and writes pages."""
