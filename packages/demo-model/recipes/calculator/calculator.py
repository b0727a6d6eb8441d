"""Arithmetic with brackets, powers, signs and decimals."""

import math
import re


def evaluate(expression):
    """The value of an expression such as "2 * (3 + 4)"; a ValueError says what is wrong with it."""
    tokens = Tokens(expression)
    try:
        value = sum_of(tokens)
    except (ZeroDivisionError, OverflowError):
        raise ValueError("The result is not a number.") from None
    except RecursionError:
        raise ValueError("There are too many brackets in brackets.") from None
    if tokens.left():
        raise ValueError(f'"{tokens.take()}" was not expected here.')
    if isinstance(value, complex) or not math.isfinite(value):
        raise ValueError("The result is not a number.")
    value = float(f"{value:.12g}")
    return int(value) if value.is_integer() else value


class Tokens:
    def __init__(self, expression):
        self._tokens = re.findall(r"\d+\.?\d*|\.\d+|\S", expression)

    def left(self):
        return len(self._tokens)

    def take(self, wanted=None):
        """The next token, if there is one and it is wanted."""
        if not self._tokens or (wanted is not None and self._tokens[0] not in wanted):
            return None
        return self._tokens.pop(0)


def sum_of(tokens):
    value = product_of(tokens)
    while sign := tokens.take("+-"):
        value = value + product_of(tokens) if sign == "+" else value - product_of(tokens)
    return value


def product_of(tokens):
    value = signed(tokens)
    while sign := tokens.take("*/"):
        value = value * signed(tokens) if sign == "*" else value / signed(tokens)
    return value


def signed(tokens):
    return -signed(tokens) if tokens.take("-") else power_of(tokens)


def power_of(tokens):
    base = atom(tokens)
    return base ** signed(tokens) if tokens.take("^") else base


def atom(tokens):
    if tokens.take("("):
        value = sum_of(tokens)
        if not tokens.take(")"):
            raise ValueError("A closing bracket is missing.")
        return value
    token = tokens.take()
    if token is None:
        raise ValueError("The expression ends too early.")
    if not re.search(r"\d", token):
        raise ValueError(f'"{token}" was not expected here.')
    return float(token)
