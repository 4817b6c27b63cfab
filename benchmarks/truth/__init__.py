"""`make truth`: problems whose answers are known by other means, and counts of the promises that were broken."""
