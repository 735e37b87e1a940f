"""What recorders share."""


class RecordError(Exception):
    """Why nothing can be recorded."""
