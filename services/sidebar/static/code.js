// Blocks of code: the button that copies them, and their colours.

import { writeClipboard } from "./clipboard.js";
import { button, icon, make } from "./dom.js";
import { textNodes, wrapText } from "./text-ranges.js";

const HIGHLIGHT = new URL("highlight/", import.meta.url).href;
const LONGEST = 20_000; // characters that are coloured
const GRAMMARS = byName({
  python: "python python3 py ipython pycon",
  bash: "bash sh shell zsh console",
  java: "java",
  cpp: "cpp c cc h hpp",
  javascript: "javascript js jsx typescript ts",
  sql: "sql mysql postgresql sqlite",
  r: "r",
  json: "json jsonc",
  yaml: "yaml yml",
  dockerfile: "dockerfile docker",
  matlab: "matlab octave",
});
const KINDS = byName({
  comment: "comment quote meta doctag",
  keyword: "keyword selector-tag operator",
  string: "string regexp char",
  number: "number literal symbol variable",
  name: "title built_in type class attr attribute",
});

/** Give each block of code in `root` a button that copies it, and colours where its language is named and known. */
/** @param {Element} root @param {Sidebar.Texts} texts */
export function dressCode(root, texts) {
  for (const block of root.querySelectorAll("pre")) {
    const copy = async () => {
      await writeClipboard(block.textContent ?? "");
      status.textContent = texts.copied;
    };
    const status = make("span", { class: "copied", role: "status" });
    const label = { "aria-label": texts.copyCode, title: texts.copyCode };
    const copier = button({ class: "quiet round", testid: "copy-code", ...label, on: { click: copy } }, icon("copy"));
    const frame = make("div", { class: "code" });
    block.replaceWith(frame);
    block.tabIndex = 0; // it may scroll
    frame.append(block, copier, status);
    colour(block).catch(() => {}); // it reads without colours too
  }
}

/** The library is loaded when there is code in a language it knows; only the places of its tokens are used. */
/** @param {HTMLElement} block */
async function colour(block) {
  const language = /\blanguage-[{.]*(\w+)/.exec(block.firstElementChild?.className ?? "")?.[1].toLowerCase();
  const grammar = GRAMMARS.get(language ?? "");
  const text = block.textContent ?? "";
  if (!grammar || text.length > LONGEST) return;
  const [{ default: library }, { default: rules }] = await Promise.all([
    import(`${HIGHLIGHT}core.min.js`),
    import(`${HIGHLIGHT}${grammar}.min.js`),
  ]);
  library.registerLanguage(grammar, rules);
  const { value } = library.highlight(text, { language: grammar, ignoreIllegals: true });
  const nodes = textNodes(block); // from the end on they stay right
  for (const { kind, start, end } of tokens(value).reverse()) {
    wrapText(nodes, start, end, () => make("span", { class: `code-${kind}` }));
  }
}

/** The tokens of highlighted HTML that have a kind, by their places in its text. */
/** @param {string} html */
function tokens(html) {
  const { body } = new DOMParser().parseFromString(`<div>${html}</div>`, "text/html");
  let end = 0;
  return textNodes(body).flatMap((node) => {
    const start = end;
    end += node.length;
    const scope = node.parentElement?.className.split(" ")[0].replace("hljs-", "") ?? "";
    const kind = KINDS.get(scope);
    return kind ? [{ kind, start, end }] : [];
  });
}

/** @param {Record<string, string>} names of each value, separated by spaces */
function byName(names) {
  return new Map(Object.entries(names).flatMap(([value, all]) => all.split(" ").map((name) => [name, value])));
}
