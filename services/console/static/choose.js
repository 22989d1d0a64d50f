// A list with boxes: all of a page are ticked at once, and how many are is said. Without this script each is ticked
// by hand.

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
  whole.closest("label").hidden = !ticks.length;
  whole.addEventListener("change", () => {
    for (const box of ticks) box.checked = whole.checked && free(box);
    tell();
  });
  for (const box of ticks) box.addEventListener("change", tell);
  tell();
}
