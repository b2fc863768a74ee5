"""A run folder, read strictly."""
