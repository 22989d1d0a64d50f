// Copying text, and the button that copies a block of code.

import { button, icon, make } from "./dom.js";

// navigator.clipboard exists only on secure origins; a course served over plain HTTP uses the copy event.
/** @param {string} text */
export async function writeClipboard(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const fill = (/** @type {ClipboardEvent} */ event) => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
  };
  document.addEventListener("copy", fill, { once: true });
  document.execCommand("copy");
}

/** Give each block of code in `root` a button that copies it. */
/** @param {Element} root @param {Sidebar.Texts} texts */
export function offerCode(root, texts) {
  for (const code of root.querySelectorAll("pre")) {
    const copy = async () => {
      await writeClipboard(code.textContent ?? "");
      status.textContent = texts.copied;
    };
    const status = make("span", { class: "copied", role: "status" });
    const copier = button({ class: "quiet round", testid: "copy-code", "aria-label": texts.copyCode, title: texts.copyCode, on: { click: copy } }, icon("copy"));
    const frame = make("div", { class: "code" });
    code.replaceWith(frame);
    code.tabIndex = 0; // it may scroll
    frame.append(code, copier, status);
  }
}
