"""Runs of like kind computed side by side: their random inputs, their programs, and what they cost."""
