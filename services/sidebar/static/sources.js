// Numbered sources: the markers in an answer, the list below it, and the panel that shows a passage.

import { dressCode } from "./code.js";
import { button, fold, icon, make, webAddress } from "./dom.js";
import { pageAddress } from "./page-address.js";
import { prose } from "./prose.js";
import { markQuotes } from "./quotes.js";
import { documentName, formatTime } from "./texts.js";

const MARKER = /\[(\d{1,3})\]/g;
const PREVIEW = 200; // characters
const VERBATIM = "pre, code, a, button, math";

/** Turn each `[n]` in the text of `root` that has a citation into a button; code is left as it is. */
/**
 * @param {HTMLElement} root
 * @param {Api.CitationOut[]} citations
 * @param {Sidebar.Texts} texts
 * @param {Sidebar.Open} open
 */
export function linkMarkers(root, citations, texts, open) {
  const byNumber = new Map(citations.map((citation) => [citation.n, citation]));
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const nodes = [];
  while (walker.nextNode()) nodes.push(/** @type {Text} */ (walker.currentNode));
  for (const node of nodes) {
    if (node.parentElement?.closest(VERBATIM)) continue;
    const pieces = splitMarkers(node.data, byNumber, (citation) => marker(citation, texts, open));
    if (pieces.length > 1) node.replaceWith(...pieces);
  }
}

/**
 * @param {string} text
 * @param {Map<number, Api.CitationOut>} byNumber
 * @param {(citation: Api.CitationOut) => Node} toMarker
 */
function splitMarkers(text, byNumber, toMarker) {
  const pieces = [];
  let end = 0;
  for (const match of text.matchAll(MARKER)) {
    const citation = byNumber.get(Number(match[1]));
    if (!citation) continue;
    pieces.push(text.slice(end, match.index).trimEnd(), toMarker(citation));
    end = match.index + match[0].length;
  }
  return [...pieces, text.slice(end)];
}

/** @param {Api.CitationOut} citation @param {Sidebar.Texts} texts @param {Sidebar.Open} open */
function marker(citation, texts, open) {
  return button(
    {
      class: "marker",
      testid: "citation-marker",
      "data-pair": citation.pair_id, // two passages under one title are not the same
      "aria-label": texts.sourceLabel(citation.n, citation.title),
      title: `${citation.title}\n${preview(citation)}`.trim(),
      on: { click: (event) => open(citation, event.currentTarget) },
    },
    `[${citation.n}]`,
  );
}

/** The beginning of a passage, to be read before it is opened. */
/** @param {Api.CitationOut} citation */
function preview({ passage, passage_html: html }) {
  const text = (prose("blockquote", {}, html, passage).textContent ?? "").replace(/\s+/g, " ").trim();
  return text.length > PREVIEW ? `${text.slice(0, PREVIEW)}…` : text;
}

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
function kindBadge(citation, texts) {
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
  if (headings) return headings;
  if (source === "faq") return ""; // its question is the title, its kind stands beside
  const name = path && documentName(path, texts);
  if (locator?.page != null) return [name, texts.page(locator.page)].filter(Boolean).join(" · ");
  const address = webAddress(url);
  return name || (address ? new URL(address).hostname : "");
}

/** The open passage, between conversation and question box. Escape closes it and gives focus back. */
export class PassagePanel {
  #texts;
  #around;
  /** @type {HTMLElement | null} */
  #opener = null;

  /**
   * `around` is the page: `seek` moves its player, `read` opens a page of the course; `show` brings that into view.
   * @param {Sidebar.Texts} texts
   * @param {Sidebar.Around} around
   */
  constructor(texts, around) {
    this.#texts = texts;
    this.#around = around;
    this.element = make("section", {
      class: "passage",
      testid: "passage",
      role: "dialog",
      "aria-labelledby": "passage-title",
      hidden: true,
      on: { keydown: (event) => this.#onKey(event) },
    });
  }

  /**
   * Show a citation, or a place without number and perhaps without passage, with the words marked that the answer
   * repeats. The page around is asked to go there too, and its player if it is in a video.
   */
  /** @param {Sidebar.Passage} citation @param {HTMLElement} opener */
  open(citation, opener) {
    this.#opener = opener;
    const title = make("h3", { id: "passage-title", tabindex: -1 }, [citation.n && `[${citation.n}]`, citation.title].filter(Boolean).join(" "));
    const header = make("header", {}, title, kindBadge(citation, this.#texts), this.#closeButton());
    const passage = citation.passage ? this.#passage(citation) : null;
    const parts = [header, ...this.#place(citation), passage, this.#actions(citation)];
    this.element.replaceChildren(...parts.filter((part) => part !== null));
    this.element.hidden = false;
    title.focus();
    if (passage && citation.said) markQuotes(passage, citation.said)?.scrollIntoView({ block: "nearest" });
    this.#read(citation, false);
    this.#jump(citation, false);
  }

  /** Close, and give focus back to what opened the passage unless it is to stay where it is. */
  close({ returnFocus = true } = {}) {
    if (this.element.hidden) return;
    this.element.hidden = true;
    this.element.replaceChildren();
    if (returnFocus) this.#opener?.focus();
    this.#opener = null;
  }

  /** @param {Sidebar.Passage} citation */
  #passage({ passage, passage_html: html }) {
    const quote = prose("blockquote", { class: html ? "" : "plain", testid: "passage-text", tabindex: 0 }, html, passage);
    dressCode(quote, this.#texts);
    return quote;
  }

  #closeButton() {
    const label = this.#texts.closePassage;
    const properties = { class: "quiet round", testid: "passage-close", "aria-label": label, title: label };
    return button({ ...properties, on: { click: () => this.close() } }, icon("close"));
  }

  /** @param {Sidebar.Passage} citation */
  #place({ n, locator, document: path, url, source, title }) {
    const steps = locator?.heading_path ?? [];
    const trail = make(
      "ol",
      { class: "trail", testid: "passage-path", "aria-label": this.#texts.path },
      steps.map((step) => make("li", {}, step)),
    );
    const said = { locator: { ...locator, heading_path: [] }, document: path, url, source, title: n ? title : "" };
    const file = steps.length && !locator?.video && locator?.page == null ? "" : placeOf(said, this.#texts);
    const where = file ? make("p", { class: "place", testid: "passage-place" }, file) : null;
    return [steps.length ? trail : null, where].filter((part) => part !== null);
  }

  /** @param {Sidebar.Passage} citation */
  #actions(citation) {
    const address = webAddress(citation.url);
    const play =
      citation.locator?.video &&
      button(
        { class: "small", testid: "passage-play", on: { click: () => this.#jump(citation, true) } },
        icon("play"),
        this.#texts.playFrom(formatTime(citation.locator.start_s)),
      );
    const link =
      address &&
      make(
        "a",
        { class: "small", testid: "passage-link", href: address, target: "_blank", rel: "noopener noreferrer" },
        icon("open"),
        this.#texts.openLink,
      );
    return make("p", { class: "row" }, play || null, this.#pageLink(citation), link);
  }

  /** @param {Sidebar.Passage} citation */
  #pageLink(citation) {
    const href = pageAddress(this.#around.pages, citation);
    const click = (/** @type {Event} */ event) => this.#read(citation, true) && event.preventDefault();
    const properties = { class: "small", testid: "passage-page", href, on: { click } };
    return href && make("a", properties, icon("page"), this.#texts.openPage);
  }

  /** Whether the page around goes to the place of a citation. */
  /** @param {Sidebar.Passage} citation @param {boolean} show */
  #read(citation, show) {
    const href = pageAddress(this.#around.pages, citation);
    return Boolean(href) && this.#around.read({ href, said: citation.said ?? "", video: citation.locator?.video, show });
  }

  /** @param {Sidebar.Place} place @param {boolean} show */
  #jump({ locator }, show) {
    if (locator?.video) this.#around.seek({ video: locator.video, start_s: locator.start_s ?? 0, show });
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    this.close();
  }
}
