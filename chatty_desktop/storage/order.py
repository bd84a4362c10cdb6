"""The order in which rows came in."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, ColumnElement, Integer, Table
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


def is_ordered_by_row(table: Table) -> bool:
    """Whether `AsWritten` orders the rows of a table: they have an id that is no number."""
    identity = table.c.get("id")
    return identity is not None and identity.primary_key and not isinstance(identity.type, Integer)


def as_written(table: Table) -> list[ColumnElement[Any]]:
    """What orders the rows of a table by when they came in, or by their key where nothing does."""
    return [AsWritten(table.c.id)] if is_ordered_by_row(table) else list(table.primary_key)


class AsWritten(FunctionElement[Any]):
    """Orders rows by when they came in, given the table's `id`. What the wall clock said then does
    not matter: it may have been set back since, or have been wrong.

    SQLite numbers all rows as they come; on a server `postgresql_schema.number_rows` has them
    numbered.
    """

    inherit_cache = True
    name = "as_written"

    def __init__(self, id_column: Column[str]) -> None:
        super().__init__(id_column)


@compiles(AsWritten, "sqlite")
def _by_row(element: AsWritten, compiler: SQLCompiler, **how: Any) -> str:
    return compiler.process(element.clauses, **how).removesuffix("id") + "rowid"


@compiles(AsWritten, "postgresql")
def _by_number(element: AsWritten, compiler: SQLCompiler, **how: Any) -> str:
    return compiler.process(element.clauses, **how).removesuffix("id") + "written"
