"""Figures of the A-FADMM paper."""
