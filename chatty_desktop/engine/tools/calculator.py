"""calculator: one expression, worked out by a library's evaluator that knows only numbers."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.tools import ToolResult, ToolSpec, ToolUse
from chatty_desktop.engine.tools.contract import Reach, arguments, text

LONGEST = 500
"""Characters of an expression. With the limit on numbers they bound the time it takes."""

MOST_BITS = 10_000
"""Of a whole number on the way, some three thousand digits."""

Number = int | float


class Calculator:
    """Works out what people write: + - * / // % ** ^, brackets, and the usual functions."""

    spec = ToolSpec(
        "calculator",
        "Works out an arithmetic expression exactly. Use it for every calculation instead of"
        " working it out yourself.",
        arguments(
            "expression",
            expression=text("The expression, such as (17.5 * 23) / 4 or sqrt(2) or 15% * 80"),
        ),
        harmless=True,
    )

    def __init__(self, _reach: Reach) -> None:
        pass

    async def run(self, use: ToolUse) -> ToolResult:
        expression = str(use.arguments["expression"]).strip()
        return ToolResult(f"{expression} = {worked_out(expression)}")


def worked_out(expression: str) -> str:
    """The value of an expression. Raises `Invalid` that says what is wrong with it."""
    # Late: it is needed by few chats.
    from simpleeval import InvalidExpression, SimpleEval

    if len(expression) > LONGEST:
        raise Invalid(f"The expression is longer than {LONGEST} characters. Take it in parts.")
    evaluator = SimpleEval(operators=_OPERATORS, functions=_FUNCTIONS, names=_NAMES)
    evaluator.nodes = {
        node: evaluate for node, evaluate in evaluator.nodes.items() if node in _NODES
    }
    try:
        return _told(_checked(evaluator.eval(_as_python(expression))))
    except ZeroDivisionError:
        raise Invalid(f"{expression} divides by zero.") from None
    except OverflowError:
        raise Invalid(f"{expression} is too large to be worked out.") from None
    except (InvalidExpression, SyntaxError, ValueError, TypeError, RecursionError) as error:
        raise Invalid(
            f"{expression!r} cannot be worked out: {error or type(error).__name__}. Write numbers"
            " with a point and without separators, and + - * / ** ( ) and sqrt, log, sin and such."
        ) from None


_NODES = (ast.Expr, ast.Constant, ast.UnaryOp, ast.BinOp, ast.Call, ast.Name)


def _as_python(expression: str) -> str:
    for written, meant in (("×", "*"), ("·", "*"), ("÷", "/"), ("−", "-"), ("^", "**")):
        expression = expression.replace(written, meant)
    # "15%" is a share where no number follows that it could be the rest of.
    expression = re.sub(r"(\d)\s*%(?!\s*[\w(.])", r"\1 / 100", expression)
    return expression.removesuffix("=").strip()


def _checked(value: Any) -> Number:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{value!r} is no number")
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise OverflowError
    return value


def _told(value: Number) -> str:
    if isinstance(value, int):
        return str(value)
    if math.isfinite(value) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.12g}"


def _power(base: Number, exponent: Number) -> Number:
    whole = isinstance(base, int) and isinstance(exponent, int) and abs(base) > 1
    if whole and exponent * int(base).bit_length() > MOST_BITS:  # before it is worked out
        raise OverflowError
    result: Any = base**exponent
    return _checked(result)


def _factorial(value: Number) -> int:
    if value > 1000:
        raise OverflowError
    if value != int(value):
        raise ValueError("factorial takes whole numbers")
    return math.factorial(int(value))


def _round(value: Number, digits: Number = 0) -> Number:
    return round(value, max(-20, min(20, int(digits)))) if digits else round(value)


def _limited(work: Callable[..., Any]) -> Callable[..., Number]:
    return lambda *given: _checked(work(*map(_checked, given)))


_OPERATORS: Mapping[type[ast.AST], Callable[..., Number]] = {
    ast.Add: _limited(lambda a, b: a + b),
    ast.Sub: _limited(lambda a, b: a - b),
    ast.Mult: _limited(lambda a, b: a * b),
    ast.Div: _limited(lambda a, b: a / b),
    ast.FloorDiv: _limited(lambda a, b: a // b),
    ast.Mod: _limited(lambda a, b: a % b),
    ast.Pow: _limited(_power),
    ast.USub: _limited(lambda a: -a),
    ast.UAdd: _limited(lambda a: a),
}

_WORK: Mapping[str, Callable[..., Any]] = {
    "abs": abs,
    "round": _round,
    "min": min,
    "max": max,
    "sum": lambda *given: sum(given),
    "floor": math.floor,
    "ceil": math.ceil,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "ln": math.log,
    "log10": math.log10,
    "log2": math.log2,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "radians": math.radians,
    "degrees": math.degrees,
    "factorial": _factorial,
    "gcd": math.gcd,
}

_FUNCTIONS = {name: _limited(work) for name, work in _WORK.items()}

_NAMES: Mapping[str, float] = {"pi": math.pi, "e": math.e, "tau": math.tau}
