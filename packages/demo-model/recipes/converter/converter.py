"""Converts temperatures, lengths, weights and volumes."""

import re

# Per unit: its kind, how much of the kind's base unit (°C, m, kg, l) it is, and what to add where zero is not zero.
UNITS = {
    "c": ("temperature", 1, 0),
    "f": ("temperature", 5 / 9, -160 / 9),
    "k": ("temperature", 1, -273.15),
    "mm": ("length", 0.001, 0),
    "cm": ("length", 0.01, 0),
    "m": ("length", 1, 0),
    "km": ("length", 1000, 0),
    "in": ("length", 0.0254, 0),
    "ft": ("length", 0.3048, 0),
    "yd": ("length", 0.9144, 0),
    "mi": ("length", 1609.344, 0),
    "g": ("weight", 0.001, 0),
    "kg": ("weight", 1, 0),
    "oz": ("weight", 0.028349523125, 0),
    "lb": ("weight", 0.45359237, 0),
    "ml": ("volume", 0.001, 0),
    "l": ("volume", 1, 0),
    "gal": ("volume", 3.785411784, 0),
}

QUESTION = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*°?([a-z]+)\s+(?:to|in)\s+°?([a-z]+)\s*", re.IGNORECASE)


def convert(question):
    """Answers a question such as "20 C to F" with "68 F"."""
    match = QUESTION.fullmatch(question)
    if not match:
        raise ValueError('Ask like this: "20 C to F".')
    amount, source, target = match.groups()
    source_kind, source_scale, source_offset = unit(source)
    target_kind, target_scale, target_offset = unit(target)
    if source_kind != target_kind:
        raise ValueError(f"{source} is a {source_kind}, but {target} is a {target_kind}.")
    base = float(amount) * source_scale + source_offset
    value = round((base - target_offset) / target_scale, 4)
    return f"{int(value) if value.is_integer() else value} {target}"


def unit(name):
    if name.lower() not in UNITS:
        raise ValueError(f'There is no unit "{name}" here. There are: {", ".join(UNITS)}.')
    return UNITS[name.lower()]
