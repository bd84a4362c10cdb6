"""The bytes of attached files: each once, for as long as a message or a draft names it.

Triggers keep the table of owners, and delete a file with the last of them; whatever deletes a
message, a cascade included, leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlalchemy import Connection, select

from chatty_desktop.domain.attachments import AttachedFile, read_attachments, told
from chatty_desktop.storage import tables
from chatty_desktop.storage.backend import adding


def add_files(connection: Connection, files: Iterable[AttachedFile]) -> None:
    """Store what is not there yet. Who names them is written in the same transaction."""
    for file in files:
        values = {"digest": file.about.digest, "data": file.data, "text": file.text}
        connection.execute(adding(connection, tables.files), values)


def read_files(
    connection: Connection, digests: Collection[str]
) -> dict[str, tuple[bytes, str | None]]:
    """The bytes, and the text of documents, of those that are there."""
    c = tables.files.c
    found: dict[str, tuple[bytes, str | None]] = {}
    for digest in digests:
        row = connection.execute(select(c.data, c.text).where(c.digest == digest)).first()
        if row is not None:
            found[digest] = (row.data, row.text)
    return found


def read_contents(connection: Connection, digests: Collection[str]) -> dict[str, bytes | str]:
    """What files hold: an image as its bytes, anything else as its text."""
    return {
        digest: data if _is_image(data) else decoded(data) if text is None else text
        for digest, (data, text) in read_files(connection, digests).items()
    }


def decoded(data: bytes) -> str:
    """The text of a file that was found to be one."""
    for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def told_in(content: str, attachments: str) -> str:
    """What memory takes in of a message, by the columns of its row."""
    return told(content, read_attachments(attachments))


def _is_image(data: bytes) -> bool:
    """As stored: images are kept as PNG or JPEG."""
    return data.startswith((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"))
