"""The order of rows that are in tables without a number of their own (`seq`)."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


class AsWritten(FunctionElement[Any]):
    """Orders rows by when they came in, given the table's `id`. What the wall clock said then does
    not matter: it may have been set back since, or have been wrong.

    SQLite numbers all rows as they come. A server does not: there the order is that of the ids,
    which a process makes in order.
    """

    inherit_cache = True
    name = "as_written"

    def __init__(self, id_column: Column[str]) -> None:
        super().__init__(id_column)


@compiles(AsWritten)
def _by_id(element: AsWritten, compiler: SQLCompiler, **how: Any) -> str:
    return compiler.process(element.clauses, **how)


@compiles(AsWritten, "sqlite")
def _by_row(element: AsWritten, compiler: SQLCompiler, **how: Any) -> str:
    return compiler.process(element.clauses, **how).removesuffix("id") + "rowid"
