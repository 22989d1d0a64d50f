// The answer can be typed or pasted at once, in place of the draft; the page stays where it is, and who already
// types in another field stays there.

const answer = document.querySelector("[data-testid=answer-text]");
if (answer && document.activeElement === document.body && !document.querySelector("[autofocus]")) {
  answer.focus({ preventScroll: true });
  answer.select();
}

// "/" at the start of a line of a message opens the templates; the one that is chosen takes its place.

/** @type {HTMLDialogElement | null} */
const pick = document.querySelector("#pick");
if (pick) {
  const [sought, ...texts] = pick.querySelectorAll("input, button");
  /** @type {HTMLTextAreaElement} */
  let field, end = 0;
  const filter = () => {
    for (const each of texts) each.hidden = !each.value.toLowerCase().includes(sought.value.toLowerCase());
  };
  for (const each of document.querySelectorAll("#answer, #private")) {
    each.addEventListener("input", (event) => {
      const before = each.value.slice(0, each.selectionStart);
      if (event.data !== "/" || !/(^|\n)\/$/.test(before)) return;
      [field, end] = [each, before.length];
      sought.value = "";
      filter();
      pick.showModal();
    });
  }
  sought.addEventListener("input", filter);
  sought.addEventListener("keydown", (event) => {
    const first = texts.find((each) => !each.hidden);
    if (event.key !== "Enter" || !first) return;
    event.preventDefault();
    first.click();
  });
  for (const each of texts) {
    each.addEventListener("click", () => {
      pick.close();
      field.focus();
      field.setRangeText(each.value, end - 1, end, "end");
    });
  }
}
