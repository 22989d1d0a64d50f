// Characters of an element's text, wherever its nodes are cut.

/**
 * Put the characters from `start` to `end` of these neighbouring text nodes into elements that `wrapper` makes, one
 * for each node that has some, and return them; the nodes before `start` stay as they are.
 * @param {Text[]} nodes @param {number} start @param {number} end @param {() => HTMLElement} wrapper
 */
export function wrapText(nodes, start, end, wrapper) {
  const wrappers = [];
  let at = 0;
  for (const node of nodes) {
    const [from, to] = [Math.max(start - at, 0), Math.min(end - at, node.length)];
    at += node.length;
    if (from >= to) continue;
    const around = wrapper();
    const piece = from ? node.splitText(from) : node;
    piece.splitText(to - from);
    piece.replaceWith(around);
    around.append(piece);
    wrappers.push(around);
  }
  return wrappers;
}

/** The text nodes of `root`, in order. @param {Node} root @returns {Text[]} */
export function textNodes(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(/** @type {Text} */ (walker.currentNode));
  return nodes;
}
