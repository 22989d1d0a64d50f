// The numbers in an answer: each opens its source, and shows before how that begins.

import { button } from "./dom.js";
import { offerPreview, previewOf } from "./preview.js";
import { textNodes } from "./text-ranges.js";

const MARKER = /\[(\d{1,3})\]/g;
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
  for (const node of textNodes(root)) {
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
  const number = button(
    {
      class: "marker",
      testid: "citation-marker",
      "data-pair": citation.pair_id, // two passages under one title are not the same
      "aria-label": texts.sourceLabel(citation.n, citation.title),
      on: { click: (event) => open(citation, event.currentTarget) },
    },
    `[${citation.n}]`,
  );
  offerPreview(number, () => previewOf(citation, texts));
  return number;
}
