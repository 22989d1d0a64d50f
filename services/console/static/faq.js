// The FAQ: how many entries are chosen, and the answer as students read it while it is written.
// Without this script each box is ticked by hand, and a button shows the answer.

const all = document.querySelector("[data-all]");
if (all) {
  const boxes = [...document.querySelectorAll('[name="entry"]')];
  const count = document.querySelector("[data-chosen]");
  const tell = () => {
    const chosen = boxes.filter((box) => box.checked).length;
    count.textContent = chosen || "";
    all.checked = chosen === boxes.length;
    all.indeterminate = chosen > 0 && chosen < boxes.length;
  };
  all.hidden = false;
  all.ariaLabel = all.closest("label").textContent.trim();
  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
    tell();
  });
  for (const box of boxes) box.addEventListener("change", tell);
  tell();
}

const shown = document.querySelector("[data-rendered]");
if (shown) {
  const { answer, csrf } = shown.closest("form").elements;
  let wait = 0;
  let last = 0;
  const render = async () => {
    const number = (last += 1);
    const body = new URLSearchParams({ csrf: csrf.value, answer: answer.value });
    const reply = await fetch(shown.dataset.rendered, { method: "POST", body }).catch(() => null);
    const html = reply && reply.ok ? await reply.text() : null;
    if (html !== null && number === last) shown.innerHTML = html;
  };
  document.querySelector('[value="preview"]').hidden = true;
  answer.addEventListener("input", () => {
    window.clearTimeout(wait);
    wait = window.setTimeout(render, 300);
  });
  if (answer.value !== answer.defaultValue) render(); // written before this script was there
}
