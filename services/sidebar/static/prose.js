// Markup that the server has rendered and sanitised: the only markup that is ever put into the page.

import { make } from "./dom.js";

/** The element that shows `html`, or `text` as it is where there is none; its links open beside the course. */
/** @param {"div" | "blockquote"} tag @param {Sidebar.Properties} properties @param {string | undefined} html */
export function prose(tag, properties, html, text = "") {
  const { class: more = "", ...rest } = properties;
  const element = make(tag, { class: `prose ${more}`.trim(), ...rest });
  if (html) element.innerHTML = html;
  else element.textContent = text;
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (element.querySelectorAll("a[href]"))) {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
  return element;
}

/** Make `shown` the same as `next` and leave alone what is the same already, so that nothing flickers or loses focus. */
/** @param {Element} shown @param {Element} next */
export function grow(shown, next) {
  let same = 0;
  const isSame = () => shown.childNodes[same]?.isEqualNode(next.childNodes[0]);
  for (; next.hasChildNodes() && isSame(); same += 1) next.childNodes[0].remove();
  const [before, after] = [shown.childNodes[same], next.childNodes[0]];
  if (before instanceof Element && after instanceof Element && before.cloneNode().isEqualNode(after.cloneNode())) {
    grow(before, after);
    after.remove();
    same += 1;
  }
  while (shown.childNodes[same]) shown.childNodes[same].remove();
  shown.append(...next.childNodes);
}
