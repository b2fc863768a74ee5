"""What the page shows."""
