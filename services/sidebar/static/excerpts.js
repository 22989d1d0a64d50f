// The excerpts of an answer that no language model wrote: the sentence that answers, and below each its place.

import { button, make } from "./dom.js";
import { prose } from "./prose.js";
import { kindBadge, placeOf } from "./sources.js";
import { textNodes, wrapText } from "./text-ranges.js";

const UNITS = "pre, table, ul, ol, math";
const FORMULAS = /\$(?!\s)[^$]+(?<!\s)\$(?!\d)|`/g;

/**
 * Mark in `body`, whose marks of citations are buttons already, the sentences that answer, put below each excerpt
 * where it stands, and return the citations that this leaves to a list.
 * @param {HTMLElement} body @param {Api.CitationOut[]} citations @param {Sidebar.Texts} texts @param {Sidebar.Open} open
 */
export function dressExcerpts(body, citations, texts, open) {
  return citations.filter((citation) => {
    const markers = citation.quoted ? [...body.querySelectorAll(".marker")] : [];
    const marker = markers.findLast((each) => each.textContent === `[${citation.n}]`);
    if (!marker) return true;
    markSentence(body, citation.marked ?? "");
    endOf(marker, body, citation).after(sourceLine(body, citation, texts, open));
    return false;
  });
}

/** A sentence that cannot be found stays as it is, and so do formulas in it. @param {Element} body @param {string} sentence */
function markSentence(body, sentence) {
  const nodes = textNodes(body).filter((node) => !node.parentElement?.closest("math, button"));
  const words = sentence.replace(FORMULAS, "").trim();
  const start = nodes.map((node) => node.data).join("").indexOf(words);
  if (words && start >= 0) wrapText(nodes, start, start + words.length, () => make("mark"));
}

/** The last block of an excerpt: what follows its last sentence are code, tables, lists and formulas of its passage. */
/** @param {Element} marker @param {Element} body @param {Api.CitationOut} citation */
function endOf(marker, body, { passage, passage_html: html }) {
  const letters = (/** @type {Element | null} */ element) => element?.textContent?.replace(/[^\p{L}\p{N}]/gu, "");
  const whole = letters(prose("blockquote", {}, html, passage)) ?? "";
  let last = marker;
  while (last.parentElement && last.parentElement !== body) last = last.parentElement;
  for (let next = last.nextElementSibling; next?.matches(UNITS); next = next.nextElementSibling) {
    const own = letters(next);
    if (!own || !whole.includes(own)) break;
    last = next;
  }
  return last;
}

/** Its title, unless the place or the answer names it already, its place, and the way to the whole passage. */
/** @param {Element} body @param {Api.CitationOut} citation @param {Sidebar.Texts} texts @param {Sidebar.Open} open */
function sourceLine(body, citation, texts, open) {
  const { n, title, source } = citation;
  const place = placeOf(citation, texts);
  const isSaid = place.includes(title) || [...body.querySelectorAll("strong")].some((each) => each.textContent === title);
  const label = `${texts.more}: ${texts.sourceLabel(n, title)}`;
  const click = (/** @type {MouseEvent} */ event) => open(citation, /** @type {HTMLElement} */ (event.currentTarget));
  return make(
    "p",
    { class: "excerpt-source", testid: "excerpt-source" },
    make("span", { class: "place" }, [isSaid ? "" : title, place].filter(Boolean).join(" · ")),
    source === "material" ? null : kindBadge(citation, texts),
    button({ class: "small", testid: "excerpt-more", "aria-label": label, on: { click } }, texts.more),
  );
}
