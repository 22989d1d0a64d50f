// The console works without this script; it only asks before something is removed.

for (const button of document.querySelectorAll("button.danger")) {
  button.addEventListener("click", (event) => {
    const { confirm: question } = button.dataset;
    if (!window.confirm(question ?? `${button.ariaLabel ?? button.textContent}?`)) event.preventDefault();
  });
}

// A text of the page is copied; where the browser forbids that, it can be marked by hand.

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = button.dataset.done;
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

// Times stand in the page in UTC. Here they are told in the reader's zone, those of the last week as so long ago.
// What is still to come is told in full.

const { lang } = document.documentElement;
const TIME = { year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit" };
const clock = new Intl.DateTimeFormat(lang, { ...TIME, timeZoneName: "short" });
const ago = new Intl.RelativeTimeFormat(lang);
const UNITS = [["minute", 60, 3600], ["hour", 3600, 86400], ["day", 86400, 604800]];

/** A moment in full; in Chinese the zone stands behind it in brackets. */
function inFull(moment) {
  if (lang !== "zh") return clock.format(moment);
  const zone = clock.formatToParts(moment).find(({ type }) => type === "timeZoneName").value;
  return `${new Intl.DateTimeFormat(lang, TIME).format(moment)}（${zone}）`;
}

for (const time of document.querySelectorAll("time[datetime]")) {
  const moment = new Date(time.dateTime);
  const seconds = (Date.now() - moment) / 1000;
  const [unit, size] = UNITS.find(([, , end]) => seconds < end) ?? [];
  time.title = inFull(moment);
  if (seconds < -60 || !unit) time.textContent = time.title;
  else time.textContent = seconds < 60 ? document.body.dataset.justNow : ago.format(-Math.floor(seconds / size), unit);
}
for (const option of document.querySelectorAll("select[data-utc-hours] option")) {
  const hour = new Date().setUTCHours(Number(option.value), 0);
  option.textContent += ` (${new Intl.DateTimeFormat(lang, { hour: "numeric", minute: "2-digit" }).format(hour)})`;
}
