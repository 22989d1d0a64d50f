// A list with boxes: all of a page are ticked at once, and how many are is said. Without this script each is ticked
// by hand. Where buttons name keys, these press them while a box has the focus, and j and k go on and back.

const whole = document.querySelector("[data-all]");
if (whole) {
  const fields = [...whole.form.elements];
  const ticks = fields.filter((each) => each.type === "checkbox" && each.hasAttribute("form"));
  const free = (box) => !box.disabled && box.checkVisibility();
  const tell = () => {
    const chosen = ticks.filter((box) => box.checked).length;
    const told = document.querySelector("[data-chosen]");
    told.textContent = chosen ? told.dataset.chosen.replace("{n}", chosen) : "";
    whole.checked = chosen > 0 && chosen === ticks.filter(free).length;
    whole.indeterminate = chosen > 0 && !whole.checked;
  };
  const keyed = fields.filter((each) => each.hasAttribute("aria-keyshortcuts"));
  const press = (event) => {
    if (!keyed.length || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { j: 1, k: -1 }[event.key];
    const button = keyed.find((each) => each.getAttribute("aria-keyshortcuts") === event.key);
    if (!step && !button) return;
    event.preventDefault();
    if (step) ticks[ticks.indexOf(event.target) + step]?.focus();
    else button.click();
  };
  whole.closest("label").hidden = !ticks.length;
  whole.addEventListener("change", () => {
    for (const box of ticks) box.checked = whole.checked && free(box);
    tell();
  });
  for (const box of ticks) {
    box.addEventListener("change", tell);
    box.addEventListener("keydown", press);
  }
  tell();
}
