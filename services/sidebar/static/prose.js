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
