"""The choice among candidates by held-out rows."""
