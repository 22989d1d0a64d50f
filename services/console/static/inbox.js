// The inbox by single keys. Without this script everything works by Tab.

const cards = [...document.querySelectorAll('[data-testid="group"]')];
const keys = document.querySelector("[data-keys]");
const STORED = "vta-inbox-keys";

const seen = (card) => card.checkVisibility();

function move(step) {
  const shown = cards.filter(seen);
  const at = shown.findIndex((card) => card.contains(document.activeElement));
  const next = at < 0 ? (step > 0 ? 0 : shown.length - 1) : Math.min(Math.max(at + step, 0), shown.length - 1);
  shown[next]?.focus();
}

const actions = {
  j: () => move(1),
  k: () => move(-1),
  x: () => document.activeElement.closest('[data-testid="group"]')?.querySelector('[name="group"]').click(),
  "/": () => document.querySelector('[data-testid="search"]')?.focus(),
  Enter: () => document.activeElement.matches('[data-testid="group"]') &&
    document.activeElement.querySelector('[data-testid="answer"]').click(),
};

if (keys) {
  keys.closest("details").hidden = false;
  keys.checked = localStorage.getItem(STORED) !== "off";
  keys.addEventListener("change", () => localStorage.setItem(STORED, keys.checked ? "on" : "off"));
  document.addEventListener("keydown", (event) => {
    const writing = event.target.closest("textarea, select, input:not([type=checkbox])");
    const action = actions[event.key];
    if (!action || !keys.checked || writing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (action() !== false) event.preventDefault();
  });
}
