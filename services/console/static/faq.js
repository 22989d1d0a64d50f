// The FAQ: the answer as students read it while it is written. Without this script a button shows it.

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
