"""The kinds of charts: a file each, and what they share."""
