"""Results: files, readings, summaries, figures and reports."""
