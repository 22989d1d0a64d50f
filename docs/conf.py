"""The documentation as a site (`make docs`): English from the root, Chinese (-t zh) from docs/zh."""

import re
import sys
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.search.zh import SearchChinese

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from reference import command_pages, route_pages  # noqa: E402

from vta import __version__  # noqa: E402

CHINESE = tags.has("zh")  # noqa: F821

project = "虚拟助教" if CHINESE else "Virtual teaching assistant"
version = release = __version__
copyright = "Apache-2.0"
language = "zh_CN" if CHINESE else "en"
extensions = ["myst_parser"]
root_doc = "index" if CHINESE else "docs/index"
if not CHINESE:
    include_patterns = [
        "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "deploy/README.md",
        "docs/*.md", "docs/adr/*.md", "docs/runs/README.md",
        "intent/weights/MODEL_CARD.md", "knowledge/vectors/encoder/MODEL_CARD.md",
    ]  # fmt: skip
    exclude_patterns = [".*", "site"]
    html_additional_pages = {"index": "to_docs.html"}
myst_heading_anchors = 4
templates_path = [str(ROOT / "docs" / "templates")]
html_theme = "furo"
html_title = f"{project} {release}"
html_search_language = "zh" if CHINESE else "en"
html_search_options = {"dict": ""}
html_show_sphinx = False
html_copy_source = False

MARKS = {"<!-- commands -->": command_pages, "<!-- routes -->": route_pages}
"""The function that writes the text in the place of each mark."""


class Search(SearchChinese):
    """Chinese by one and two signs, so that every part of a sentence is found; English by stems."""

    language_name = (
        "English"  # of the stemmer that the page loads; for SearchChinese it names one that is not
    )
    js_splitter_code = r"""
function splitQuery(query) {
  const terms = query.match(/\p{Script=Han}+|[\p{L}\p{N}_]+/gu) || [];
  return terms.flatMap((term) => /\p{Script=Han}/u.test(term) && term.length > 2
    ? Array.from(term).slice(1).map((sign, at) => term[at] + sign) : [term]);
}
"""

    def split(self, input: str) -> list[str]:
        runs = re.findall(r"[\u4e00-\u9fff]+", input)
        pairs = [run[at : at + size] for size in (1, 2) for run in runs for at in range(len(run) - size + 1)]
        latin = self.latin1_letters.findall(input)
        self.latin_terms.update(latin)
        return pairs + latin

    def word_filter(self, stemmed_word: str) -> bool:
        return len(stemmed_word) > 1 or "\u4e00" <= stemmed_word <= "\u9fff"


def complete(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace the marks by generated text, and give the front page a menu of the pages that it links."""
    text = source[0]
    if CHINESE:  # no blank where a line of the source ends
        text = re.sub(r"(?<=[\u3000-\u9fff\uff00-\uffef])\n *(?=[\u3000-\u9fff\uff00-\uffef])", "", text)
    for mark, write in MARKS.items():
        if mark in text:
            text = text.replace(mark, write())
    if docname == root_doc:
        for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
            links = [link for link in re.findall(r"\]\(([^)]+)\.md\)", section) if is_here(link)]
            caption = section.partition("\n")[0]
            text += "\n\n```{toctree}\n:hidden:\n:caption: " + caption + "\n\n" + "\n".join(links) + "\n```\n"
    source[0] = text


def is_here(link: str) -> bool:
    """True for a link of the front page to a page of the same language."""
    return not link.startswith(".." if CHINESE else "zh/")


def link_other_language(app: Sphinx, doctree: nodes.document) -> None:
    """Link pages of the other language by their address: they are of another project of the same site."""
    for link in list(doctree.findall(pending_xref)):
        target = link.get("reftarget", "")
        if link.get("refdomain") != "doc":
            continue
        if CHINESE and target.startswith(str(ROOT)):
            page = "../" + Path(target).relative_to(ROOT).as_posix()
        elif not CHINESE and target.startswith("docs/zh/"):
            page = "../" * app.env.current_document.docname.count("/") + target.removeprefix("docs/")
        else:
            continue
        anchor = f"#{link['reftargetid']}" if link.get("reftargetid") else ""
        link.replace_self(nodes.reference("", "", *link.children, refuri=f"{page}.html{anchor}"))


def setup(app: Sphinx) -> None:
    app.add_search_language(Search)
    app.connect("source-read", complete)
    app.connect("doctree-read", link_other_language)
