// A glance at a source, while the pointer rests on its number or the keyboard is there.

import { make } from "./dom.js";
import { prose } from "./prose.js";
import { placeOf } from "./sources.js";

const LONGEST = 200; // characters
const REST_MS = 250; // that the pointer rests before it is meant, or is away before it has left
const GAP = 6; // px

/** Title, place and first words of a citation. */
/** @param {Api.CitationOut} citation @param {Sidebar.Texts} texts */
export function previewOf(citation, texts) {
  const text = (prose("blockquote", {}, citation.passage_html, citation.passage).textContent ?? "").replace(/\s+/g, " ").trim();
  return [
    make("strong", {}, citation.title),
    make("span", { class: "place" }, placeOf(citation, texts)),
    make("span", {}, text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text),
  ];
}

/**
 * Show a preview at `anchor`: it can be pointed at itself, Escape closes it, and no touch opens it, since a touch
 * opens the source. It is not announced, for the label of the number says what it is.
 */
/** @param {HTMLElement} anchor @param {() => HTMLElement[]} content */
export function offerPreview(anchor, content) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {HTMLElement | null} */
  let shown = null;
  const after = (/** @type {() => void} */ act, wait = REST_MS) => {
    clearTimeout(timer);
    timer = setTimeout(act, wait);
  };
  const close = () => {
    clearTimeout(timer);
    shown?.remove();
    shown = null;
  };
  const open = () => {
    const around = /** @type {HTMLElement | null} */ (anchor.closest(".answer")); // and with it the preview goes
    if (shown?.isConnected || !around) return;
    const on = { pointerenter: () => clearTimeout(timer), pointerleave: () => after(close) };
    shown = make("div", { class: "preview", testid: "preview", "aria-hidden": "true", on }, content());
    around.append(shown);
    place(shown, anchor, around);
  };
  const isMouse = (/** @type {PointerEvent} */ event) => event.pointerType === "mouse";
  anchor.addEventListener("pointerenter", (event) => isMouse(event) && after(open));
  anchor.addEventListener("pointerleave", () => after(close));
  anchor.addEventListener("focus", () => anchor.matches(":focus-visible") && after(open));
  anchor.addEventListener("blur", close);
  anchor.addEventListener("click", close);
  anchor.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !shown) return;
    event.stopPropagation();
    close();
  });
}

/** Above the anchor where that can be seen, else below it, and within the answer's width. */
/** @param {HTMLElement} preview @param {HTMLElement} anchor @param {HTMLElement} around */
function place(preview, anchor, around) {
  const [at, answer] = [anchor.getBoundingClientRect(), around.getBoundingClientRect()];
  const { width, height } = preview.getBoundingClientRect();
  const seen = around.closest(".log")?.getBoundingClientRect().top ?? 0;
  const top = at.top - height - GAP >= seen ? at.top - height - GAP : at.bottom + GAP;
  preview.style.left = `${Math.max(Math.min(at.left - answer.left - width / 2, answer.width - width), 0)}px`;
  preview.style.top = `${top - answer.top}px`;
}
