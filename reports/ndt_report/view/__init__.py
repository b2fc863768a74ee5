"""One page to look at: a localised drive, or an alignment, over its map in three dimensions. Drawn by plotly."""
