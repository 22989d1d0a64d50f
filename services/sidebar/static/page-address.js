// Where the course's own pages show the place of a citation.

/**
 * The address of a citation or place among the pages of documents; null where it is in none, or there are none.
 * @param {string | null} pages @param {Sidebar.Place} place
 */
export function pageAddress(pages, { document: path, locator, source, pair_id: pair }) {
  if (!pages || !path || path.startsWith("/") || source === "faq" || source === "search") return null;
  const isPassage = source === "material" && pair;
  const { start_s: second, page, heading_path: headings } = locator ?? {};
  const place = isPassage ? { at: pair } : { second, page, heading: headings?.at(-1) };
  const known = Object.entries({ ...place, lang: new URLSearchParams(location.search).get("lang") });
  const query = new URLSearchParams(known.flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]])));
  return new URL(`${pages}${path.split("/").map(encodeURIComponent).join("/")}?${query}`, document.baseURI).href;
}
