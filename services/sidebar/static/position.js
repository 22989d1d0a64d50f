// Where the student is, as the page around says it.

/**
 * The position that an element's attributes tell; undefined where they name neither video nor unit.
 * @param {HTMLElement} element @returns {Sidebar.Position | undefined}
 */
export function positionOf(element) {
  const video = element.getAttribute("video") || undefined;
  const unit = element.getAttribute("unit") || undefined;
  const second = video ? Number(element.getAttribute("second")) || 0 : undefined;
  const page = Number(element.getAttribute("page")) || undefined;
  const heading = element.getAttribute("heading")?.slice(0, 200) || undefined;
  return video || unit ? { unit, video, second, page, heading } : undefined;
}
