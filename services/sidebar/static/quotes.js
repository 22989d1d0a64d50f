// The words of a passage that an answer quotes or retells: its sentences most of whose word triples the answer has.

import { textNodes, wrapText } from "./text-ranges.js";

const WORDS = /\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{N}])+/gu;
const SENTENCES = /[^。！？!?\n]+?(?:[。！？!?]+|\.(?=\s|$)|(?=\n)|$)/gu;
const BLOCKS = "p, li, pre, td, th, dd, h1, h2, h3, h4, h5, h6, blockquote, div, section";
const SHINGLE = 3; // words
const ENOUGH = 0.6; // of the shingles of a sentence

/**
 * Mark the sentences in `root` that `said` repeats, and return the first mark; null where there is none.
 * @param {Element} root @param {string} said
 */
export function markQuotes(root, said) {
  const known = new Set(shingles(said));
  const marks = blocksOf(root).flatMap((nodes) => {
    const text = nodes.map((node) => node.data).join("");
    const isCode = nodes[0].parentElement?.closest("pre");
    const found = quoted(isCode ? text : text.replaceAll("\n", " "), known);
    // from the end on: what is before stays
    return found.reverse().flatMap(([start, end]) => wrapText(nodes, start, end, () => document.createElement("mark")));
  });
  const isFirst = (/** @type {Node} */ mark) => !marks.some((other) => other.compareDocumentPosition(mark) & Node.DOCUMENT_POSITION_FOLLOWING);
  return marks.find(isFirst) ?? null;
}

/** The sentences of a text, as [start, end], that are known by their shingles. */
/** @param {string} text @param {Set<string>} known @returns {[number, number][]} */
export function quoted(text, known) {
  return [...text.matchAll(SENTENCES)]
    .filter(([sentence]) => {
      const own = shingles(sentence);
      return own.length > 0 && own.filter((each) => known.has(each)).length >= ENOUGH * own.length;
    })
    .map((match) => [match.index + (/^\s*/.exec(match[0])?.[0].length ?? 0), match.index + match[0].trimEnd().length]);
}

/** Neighbouring words of a text, three by three. */
/** @param {string} text */
export function shingles(text) {
  const words = text.toLowerCase().match(WORDS) ?? [];
  return words.slice(SHINGLE - 1).map((_, n) => words.slice(n, n + SHINGLE).join(" "));
}

/** The text nodes of `root`, those of one block together. */
/** @param {Element} root @returns {Text[][]} */
function blocksOf(root) {
  /** @type {Map<Element, Text[]>} */
  const blocks = new Map();
  for (const node of textNodes(root)) {
    if (node.parentElement?.closest("button, .second, math")) continue;
    const block = node.parentElement?.closest(BLOCKS) ?? root;
    blocks.set(block, [...(blocks.get(block) ?? []), node]);
  }
  return [...blocks.values()];
}
