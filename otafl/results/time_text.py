"""Times in words."""


def duration(seconds: float) -> str:
    """Return a time [s] in words: seconds, minutes and seconds, or hours and minutes.

    >>> duration(119.6)
    '2 min 0 s'
    """
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours:,} h {minutes} min"
