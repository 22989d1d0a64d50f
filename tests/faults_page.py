"""Write docs/faults.md from tests/faults.toml and the marks of the tests: `python tests/faults_page.py`."""

from __future__ import annotations

import ast
import re
import textwrap
import tomllib
from collections import defaultdict
from pathlib import Path

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "faults.md"
TABLE = re.compile(r"(?<=<!-- cases -->\n).*(?=<!-- end of cases -->)", re.DOTALL)

WRAPPER = textwrap.TextWrapper(118, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)


def sections() -> dict[str, dict[str, str]]:
    """The sentence of each case by title of section and case."""
    return tomllib.loads((TESTS / "faults.toml").read_text(encoding="utf-8"))


def marked_tests() -> dict[str, list[str]]:
    """The files of the tests that are marked with a case, by case."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        source = path.read_text(encoding="utf-8")
        if "mark.fault" not in source:
            continue
        marks = filter(_is_mark, ast.walk(ast.parse(source)))
        for case in dict.fromkeys(map(_case, marks)):
            found[case].append(path.relative_to(TESTS).as_posix())
    return dict(found)


def _is_mark(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.fault"


def _case(mark: ast.AST) -> str:
    """ValueError where a mark does not have the form `fault(case="T04")`."""
    match mark:
        case ast.Call(args=[], keywords=[ast.keyword(arg="case", value=ast.Constant(value=str(case)))]):
            return case
    raise ValueError(f"{ast.unparse(mark)} is not of the form fault(case=...)")


def page(text: str) -> str:
    """The page with its cases as the tests prove them now."""
    tests = marked_tests()
    lines = []
    for title, cases in sections().items():
        lines += [f"\n## {title}\n"]
        for case, sentence in cases.items():
            proofs = ", ".join(f"`{file}`" for file in tests.get(case, []))
            row = f"- **{case}** {' '.join(sentence.split())} {proofs}"
            lines += WRAPPER.wrap(row)
    return TABLE.sub(lambda _: "\n".join(lines) + "\n\n", text)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
