"""Numbers in words."""


def duration(seconds: float) -> str:
    """Seconds, or minutes or hours with them."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(int(minutes), 60)
    if hours:
        return f"{hours:,} h {minutes} min"
    return f"{minutes} min {rest:.0f} s" if minutes else f"{rest:.3g} s"
