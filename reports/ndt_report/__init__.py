"""Reads a run folder of ndt-bench and makes its report: one offline HTML page, CSV files, trajectories, a
terminal summary."""
