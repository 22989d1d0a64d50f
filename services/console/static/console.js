// The console works without this script; it only asks before something is removed.

for (const button of document.querySelectorAll("button.danger")) {
  button.addEventListener("click", (event) => {
    const { confirm: question } = button.dataset;
    if (!window.confirm(question ?? `${button.ariaLabel ?? button.textContent}?`)) event.preventDefault();
  });
}

// What takes some seconds says so, and is not sent a second time.

for (const form of document.querySelectorAll("form[data-busy]")) {
  form.addEventListener("submit", (event) => {
    if (form.ariaBusy) return event.preventDefault();
    form.ariaBusy = "true";
    form.querySelector("[role=status]").hidden = false;
  });
}

// The page of an upload follows its progress and loads anew when it is over; without this, Refresh does.

const job = document.querySelector("[data-job]");
if (job) {
  const bar = job.querySelector("progress");
  const label = job.querySelector("label");
  const words = label.textContent;
  const follow = async () => {
    const reply = await fetch(job.dataset.job).catch(() => null);
    const state = reply && reply.ok ? await reply.json() : null;
    if (state && !state.running) return window.location.reload();
    if (state) {
      bar.max = state.total;
      bar.value = state.done;
      let at = 0;
      if (state.state !== "indexing") label.textContent = words.replace(/\d+/g, () => [state.done, state.total][at++]);
    }
    window.setTimeout(follow, 1000);
  };
  window.setTimeout(follow, 500);
}

// What is wider than its place can be scrolled by keyboard too.

const scrolled = new ResizeObserver((changes) => {
  for (const { target } of changes) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
for (const text of document.querySelectorAll(".text")) scrolled.observe(text);
