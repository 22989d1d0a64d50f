// The numbered list of an answer's sources, and where each stands.

import { button, fold, make, webAddress } from "./dom.js";
import { documentName, formatTime } from "./texts.js";

/** The numbered list of sources, one button each, folded behind its label. */
/** @param {Api.CitationOut[]} citations @param {string} label @param {Sidebar.Texts} texts @param {Sidebar.Open} open */
export function sourceList(citations, label, texts, open) {
  const items = citations.map((citation) =>
    make(
      "li",
      {},
      button(
        { class: "source", testid: "citation", on: { click: (event) => open(citation, event.currentTarget) } },
        make("span", { class: "number" }, String(citation.n)),
        make(
          "span",
          { class: "about" },
          make("span", { class: "title" }, citation.title),
          make("span", { class: "place" }, placeOf(citation, texts)),
        ),
        kindBadge(citation, texts),
      ),
    ),
  );
  return fold({ class: "sources", testid: "citations" }, label, make("ol", {}, items));
}

/** @param {Sidebar.Passage} citation @param {Sidebar.Texts} texts */
export function kindBadge(citation, texts) {
  return make(
    "span",
    { class: "kind", testid: "citation-kind", "data-kind": citation.source },
    texts.kinds[citation.source] ?? citation.source,
  );
}

/** One line that says where a citation, whose title names its lecture, or the place of a concept stands. */
/** @param {Sidebar.Place} place @param {Pick<Sidebar.Texts, "page" | "lecture">} texts */
export function placeOf({ locator, document: path, url, source, title }, texts) {
  const headings = locator?.heading_path?.join(" › ");
  if (locator?.video) {
    const name = headings || (title ? "" : documentName(locator.video, texts));
    return [name, formatTime(locator.start_s)].filter(Boolean).join(" · ");
  }
  const page = locator?.page == null ? "" : texts.page(locator.page, locator.page_label);
  if (headings) return [headings, page].filter(Boolean).join(" · ");
  if (source === "faq") return ""; // its question is the title, its kind stands beside
  const name = path && documentName(path, texts);
  if (page) return [name, page].filter(Boolean).join(" · ");
  const address = webAddress(url);
  return name || (address ? new URL(address).hostname : "");
}
