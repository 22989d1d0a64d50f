// Building elements. Children given as strings become text nodes, so nothing here can inject markup.

const SVG = "http://www.w3.org/2000/svg";

const ICONS = {
  send: "M12 19V5M5.5 11.5 12 5l6.5 6.5",
  stop: "M6 6h12v12H6z",
  plus: "M12 5.5v13M5.5 12h13",
  clock: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 7.5V12l3 2",
  pencil: "M4.5 19.5l.8-4L15.8 5l3.2 3.2L8.5 18.7zM13.5 7.3l3.2 3.2",
  again: "M18.5 12a6.5 6.5 0 1 1-2-4.7L19 9.5M19 4.5v5h-5",
  close: "M6.5 6.5l11 11M17.5 6.5l-11 11",
  copy: "M9 9h10.5v10.5H9zM5 15H4.5V4.5H15V5",
  thumb: "M7.5 11v8.5H4V11zM7.5 11l3.8-7.5c1.4 0 2.4 1 2.4 2.4V9.5h4.9a1.7 1.7 0 0 1 1.7 2l-1.1 6.4a2 2 0 0 1-2 1.6H7.5",
  play: "M8.5 6v12l9.5-6z",
  page: "M7 3.5h7.5L18.5 7.5V20.5H7zM14.5 3.5v4h4M10 12h5.5M10 15.5h5.5",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c.6-4 3.6-6 7.5-6s6.9 2 7.5 6",
  open: "M13.5 5H19v5.5M19 5l-8.5 8.5M10 6H5v13h13v-5",
};

/**
 * Make an element. `testid` becomes data-testid, `on` maps event names to listeners, `true` sets an empty
 * attribute, `false` and `null` leave it out; every other property is an attribute.
 */
/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Sidebar.Properties} properties
 * @param {Array<Sidebar.Child | Sidebar.Child[]>} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, { testid, on = {}, ...attributes } = {}, ...children) {
  const node = document.createElement(tag);
  if (testid) node.dataset.testid = testid;
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, String(value));
  }
  for (const [name, listener] of Object.entries(on)) node.addEventListener(name, listener);
  for (const child of children.flat()) if (child != null) node.append(child);
  return node;
}

/**
 * What has the focus in the document or shadow tree of an element.
 * @param {Node} element
 */
export function focusIn(element) {
  return /** @type {Document | ShadowRoot} */ (element.getRootNode()).activeElement;
}

/** A button that never submits a form by accident. */
/** @param {Sidebar.Properties} properties @param {Array<Sidebar.Child | Sidebar.Child[]>} children */
export function button(properties, ...children) {
  return make("button", { type: "button", ...properties }, ...children);
}

/** Something that waits closed behind its label; opening it is not announced as news of the conversation. */
/** @param {Sidebar.Properties} properties @param {string} label @param {Array<Sidebar.Child | Sidebar.Child[]>} children */
export function fold(properties, label, ...children) {
  const details = make("details", { "aria-live": "off", ...properties }, make("summary", { testid: "fold" }, label), ...children);
  details.addEventListener("toggle", () => details.open && details.scrollIntoView({ block: "nearest" }));
  return details;
}

/** A decorative line icon, hidden from screen readers. */
/** @param {keyof typeof ICONS} name */
export function icon(name) {
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", "0 0 24 24");
  drawing.setAttribute("aria-hidden", "true");
  drawing.setAttribute("class", "icon");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  drawing.append(path);
  return drawing;
}

/** The address if it is a web address, else null: `javascript:` and the like never become a link. */
/** @param {string | null | undefined} text */
export function webAddress(text) {
  if (!text || !URL.canParse(text, document.baseURI)) return null;
  const address = new URL(text, document.baseURI);
  return ["http:", "https:"].includes(address.protocol) ? address.href : null;
}
