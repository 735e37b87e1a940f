"""What choose.py does: from a load in words to a table and a verdict."""
