// One key decides about the selected prerequisite: a accepts, r removes, u undoes, j and k go on and back, w opens why, x ticks.
// Keys count only while the focus is in the list; without this script the buttons do the same, a page each.

const list = document.getElementById("prerequisites");
if (list) {
  const cards = [...list.querySelectorAll(".decidable")];
  const told = document.querySelector("[data-testid=told]");
  const decided = []; // the cards decided here, in order: only the last decision can be undone

  const button = (card, decision) => card.querySelector(`button[value=${decision}]`);

  const send = async (card, decision) => {
    const form = card.querySelector("form");
    const fields = new URLSearchParams(new FormData(form));
    fields.set("decision", decision);
    if (decision === "undo") fields.set("number", card.dataset.number);
    const reply = await fetch(form.action, {
      method: "POST", headers: { Accept: "application/json" }, body: fields,
    }).catch(() => null);
    const body = reply?.headers.get("content-type")?.includes("json") ? await reply.json() : {};
    if (!reply?.ok || body.number === undefined) throw new Error(body.detail ?? list.dataset.failed);
    return body.number;
  };

  const show = (card, words, state) => {
    const line = card.querySelector(".decision");
    line.textContent = words;
    line.hidden = !words;
    card.dataset.state = state;
    const box = card.querySelector("[name=pair]");
    box.disabled = decided.includes(card);
    if (box.disabled && box.checked) box.click();
    for (const each of card.querySelectorAll("button:not([value=undo])")) each.hidden = decided.includes(card);
    for (const each of cards) button(each, "undo").hidden = each !== decided.at(-1);
    told.textContent = words;
  };

  let working = Promise.resolve(); // one after another, in the order of the keys
  const decide = (card, decision) => {
    const pressed = button(card, decision);
    if (!pressed || pressed.hidden) return;
    const said = pressed.dataset.said;
    if (decision === "undo" && decided.at(-1) !== card) return;
    const before = card.dataset.state ?? "";
    if (decision === "undo") decided.pop();
    else decided.push(card);
    show(card, said, decision === "undo" ? "" : decision);
    working = working.then(async () => {
      try {
        card.dataset.number = await send(card, decision);
      } catch (fault) {
        if (decision === "undo") decided.push(card);
        else decided.splice(decided.indexOf(card), 1);
        show(card, fault.message, decision === "undo" ? before : "fault");
      }
    });
    if (decision === "undo") card.focus();
    else (cards[cards.indexOf(card) + 1] ?? card).focus();
  };

  list.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const card = event.target.closest(".decidable");
    const at = cards.indexOf(card);
    const act = {
      j: () => cards[at + 1]?.focus(),
      k: () => cards[at - 1]?.focus(),
      a: () => decide(card, "accept"),
      r: () => decide(card, "reject"),
      u: () => decided.length && decide(decided.at(-1), "undo"),
      x: () => card.querySelector("[name=pair]").click(),
      w: () => { const why = card.querySelector("details"); why.open = !why.open; },
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  list.addEventListener("submit", (event) => {
    event.preventDefault();
    decide(event.target.closest(".decidable"), event.submitter.value);
  });

  if (document.activeElement === document.body) cards[0]?.focus({ preventScroll: true });
}
