"""What errors of a PostgreSQL server mean for the person.

A failed connection has no code, only the server's words, which it may say in another language:
then they are told as they are.
"""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError

from chatty_desktop.domain.errors import StorageFailed


def told(error: DBAPIError, place: str) -> StorageFailed:
    """The error for the person; `place` is the address, without a password."""
    said = str(error.orig).strip()
    code = str(getattr(error.orig, "sqlstate", None) or "")
    if code == "53100":
        return StorageFailed(
            f"The disk of the database server is full, so this could not be saved at {place}. What"
            " was saved before is safe. Make room there, then try again."
        )
    if code == "42501":
        return StorageFailed(
            f"The database user may not do this at {place}: {said}. Chatty Desktop needs a database"
            " of its own, or a schema, in which its user may make tables."
        )
    if "no password supplied" in said:
        return StorageFailed(
            f"A password is needed for the database at {place}. Give it by PostgreSQL's own means:"
            " a file of passwords (PGPASSFILE, or .pgpass in your home folder) or PGPASSWORD."
        )
    if "password authentication failed" in said:
        return StorageFailed(
            f"The password is wrong for the database at {place}. Give it by PostgreSQL's own means:"
            " a file of passwords (PGPASSFILE, or .pgpass in your home folder) or PGPASSWORD."
        )
    if code in ("28P01", "28000") or "pg_hba.conf" in said or "authentication" in said:
        return StorageFailed(f"The server does not let you in at {place}: {_last_line(said)}")
    if "does not exist" in said and not code:
        return StorageFailed(
            f"The server has no such database or user: {_last_line(said)} (at {place}). Make the"
            " database there with: createdb NAME."
        )
    if not code or code.startswith(("08", "57P")) or error.connection_invalidated:
        return StorageFailed(
            f"The database server at {place} does not answer: {_last_line(said)}. What was saved"
            " is safe there. Once it is back, what you do next is saved again."
        )
    return StorageFailed(f"The database at {place} refused: {said}.")


def _last_line(said: str) -> str:
    """The driver tells of each address that it tried, and asks back under it."""
    lines = [line.strip() for line in said.splitlines() if not line.strip().endswith("?")]
    return lines[-1].rstrip(".") if lines else "no reason was given"
