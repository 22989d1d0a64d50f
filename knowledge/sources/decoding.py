"""Bytes to text, or a refusal that names the place."""

from __future__ import annotations

import codecs

from vta.errors import InvalidInput

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decode(data: bytes, *, path: str) -> str:
    """The text of a file in UTF-8 or, with a byte order mark, UTF-16; line ends become `\\n`.

    Raises `InvalidInput` with the line of the first byte that does not fit, and for binary files.
    """
    encoding = next((name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode(encoding, errors="ignore")
        line = _unix_lines(before).count("\n") + 1
        message = f"{path}, line {line}: not {encoding} text; save the file as UTF-8"
        raise InvalidInput(message, path=path, line=line) from error
    if "\x00" in text:
        line = _unix_lines(text[: text.index("\x00")]).count("\n") + 1
        message = f"{path}, line {line}: holds a NUL character, so this is not a text file"
        raise InvalidInput(message, path=path, line=line)
    return _unix_lines(text)


def _unix_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
