// Pictures that come as SVG text: only shapes and texts of them are taken in.

const DRAWN = new Set(["svg", "title", "desc", "g", "rect", "path", "text"]);
const SAID = new Set(
  ["class", "role", "lang", "viewBox", "x", "y", "rx", "width", "height", "d", "fill", "fill-opacity", "stroke"].concat(
    ["stroke-opacity", "text-anchor", "font-family", "font-size"],
  ),
);

/** The element drawn by the text, or null where it is no SVG; styles, scripts and links stay outside. */
/** @param {string} text */
export function readPicture(text) {
  const { documentElement: drawing } = new DOMParser().parseFromString(text, "image/svg+xml");
  if (drawing.localName !== "svg" || drawing.querySelector("parsererror")) return null;
  for (const node of [drawing, ...drawing.querySelectorAll("*")]) {
    if (!DRAWN.has(node.localName)) node.remove();
    for (const name of node.getAttributeNames()) if (!SAID.has(name)) node.removeAttribute(name);
  }
  return document.importNode(drawing, true);
}
