"""Bytes to text, or a refusal that names the place and the encoding."""

from __future__ import annotations

import codecs
import re
from typing import BinaryIO, Literal

from vta.errors import InvalidInput
from vta.faults import Fault

LARGEST_TEXT = 50_000_000
"""Bytes of a file that is held in memory as text."""

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HAN = re.compile(r"[\u4e00-\u9fff]")  # not all of `vta.text.HAN`: a wrong decoding makes rare ones
_FOREIGN = re.compile(r"[\u0400-\u04ff\u3040-\u312f\uac00-\ud7af\ue000-\uf8ff]")
_FREQUENT_HAN = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"
    "用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实"
    "什问答第与或及即则数图表示解题例课讲程"
)
_FREQUENT_SHARE = 0.15
"""Chinese prose has two in five; text of another encoding read as GB18030 next to none."""


def read_text_file(file: BinaryIO, *, path: str) -> str:
    """The text of a file, see `decode`; one of more than `LARGEST_TEXT` bytes is refused."""
    return decode(read_bytes(file, path=path, limit=LARGEST_TEXT), path=path)


def read_bytes(file: BinaryIO, *, path: str, limit: int) -> bytes:
    """All bytes of a file, of which there may be `limit`."""
    data = file.read(limit + 1)
    if len(data) > limit:
        raise InvalidInput(Fault("file.over_limit", most=limit).at(path))
    return data


def decode(data: bytes, *, path: str) -> str:
    r"""The text of a file in UTF-8, in UTF-16 with a byte order mark, or in GB18030; line ends become `\n`.

    GB18030 (with GBK and GB2312) has no mark: it is what is no UTF-8 and reads as Chinese. Raises
    `InvalidInput` with the line of the first byte that does not fit, and for binary files.
    """
    encoding = next((name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        chinese = _chinese(data) if encoding == "utf-8" else None
        if chinese is None:
            before = error.object[: error.start].decode(encoding, errors="ignore")
            fault = Fault("file.not_encoding", encoding=encoding)
            if order := _utf16_order(data):
                fault = Fault("file.not_encoding_but_utf16", encoding=encoding, order=order)
            raise InvalidInput(fault.at(path, _last_line(before))) from error
        text = chinese
    if "\x00" in text:
        order = _utf16_order(data)
        fault = Fault("file.nul_of_utf16", order=order) if order else Fault("file.nul")
        raise InvalidInput(fault.at(path, _last_line(text[: text.index("\x00")])))
    return _unix_lines(text)


def _chinese(data: bytes) -> str | None:
    """The bytes as GB18030 where that gives Chinese."""
    try:
        text = data.decode("gb18030")
    except UnicodeDecodeError:
        return None
    han = _HAN.findall(text)
    frequent = sum(c in _FREQUENT_HAN for c in han)
    is_chinese = frequent > _FREQUENT_SHARE * len(han) and len(_FOREIGN.findall(text)) * 20 <= len(han)
    return text if is_chinese else None


def _utf16_order(data: bytes) -> Literal["BE", "LE"] | None:
    """The byte order of what may be UTF-16 without a mark, from the places of its NULs."""
    sample = data[:4096]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if max(even, odd) * 8 > len(sample) and min(even, odd) * 8 < max(even, odd):
        return "BE" if even > odd else "LE"
    return None


def _last_line(text: str) -> int:
    return _unix_lines(text).count("\n") + 1


def _unix_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
