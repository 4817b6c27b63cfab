"""`make truth`: problems whose answers are known by other means, and counts of wrong results."""
