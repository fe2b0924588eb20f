"""The error of a parameter that breaks a rule."""


class ParameterError(ValueError):
    """Parameter of the physical layer with a value that breaks a rule; its text is "name = value: rule"."""

    def __init__(self, name: str, value: object, rule: str) -> None:
        super().__init__(name, value, rule)  # all three, so that it can be pickled
        self.rule = rule

    def __str__(self) -> str:
        name, value, rule = self.args
        return f"{name} = {format(value, 'g') if isinstance(value, float) else repr(value)}: {rule}"
