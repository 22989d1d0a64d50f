// Copying text.

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
