"""Data sets: real files, downloads where no file is given, and synthetic generators."""
