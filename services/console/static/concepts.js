// Right, wrong and × are carried out at once, and Undo takes the last of them back, one after another.
// Keys while the focus is in the list: y right, n wrong, e edit, u undo, j next, k previous.
// Without this script each button loads the page anew.

const list = document.getElementById("concepts");
const undo = document.getElementById("undo");
if (undo) {
  const cards = [...list.children];
  const decided = []; // what was decided here, in order
  const back = undo.querySelector("button");

  const tell = (words) => {
    undo.hidden = false;
    undo.querySelector("[role=status]").textContent = words;
    back.hidden = !decided.length;
  };

  const send = async (form, fields) => {
    const reply = await fetch(form.action, {
      method: "POST", headers: { Accept: "application/json" }, body: new URLSearchParams(fields),
    }).catch(() => null);
    const body = reply?.headers.get("content-type")?.includes("json") ? await reply.json() : {};
    if (!reply?.ok || body.number === undefined) throw new Error(body.detail ?? list.dataset.failed);
    return body.number;
  };

  const show = ({ form, fields, card, button, before, words }, isDone) => {
    form.hidden = isDone;
    if (!fields.has("name")) return; // × leaves the concept as it is
    card.dataset.state = isDone ? button.value : before;
    card.querySelector(".decision").textContent = isDone ? button.dataset.said : words;
  };

  let working = Promise.resolve(); // one after another, in the order of the presses
  let waiting = 0; // presses that are not stored yet: whoever leaves now is asked
  const enqueue = (act) => {
    waiting += 1;
    working = working.then(act).finally(() => { waiting -= 1; });
  };
  window.addEventListener("beforeunload", (event) => { if (waiting) event.preventDefault(); });

  const decide = (form, button) => {
    const card = form.closest(".decidable");
    const words = card.querySelector(".decision").textContent;
    const fields = new FormData(form, button);
    const made = { form, fields, card, button, words, before: card.dataset.state ?? "" };
    const name = fields.has("name") ? `${fields.get("name")}: ` : "";
    decided.push(made);
    show(made, true);
    tell(name + button.dataset.said);
    const next = cards.slice(cards.indexOf(card) + 1).find((each) => !each.dataset.state);
    ((name && next) || card).focus();
    enqueue(async () => {
      try {
        made.number = await send(form, fields);
      } catch (fault) {
        decided.splice(decided.indexOf(made), 1);
        show(made, false);
        tell(name + fault.message);
      }
    });
  };

  const takeBack = () => {
    enqueue(async () => {
      const made = decided.pop();
      if (!made) return;
      try {
        const fields = new FormData(undo);
        fields.set("number", made.number);
        await send(undo, fields);
        show(made, false);
        tell(back.dataset.said);
        made.card.focus();
      } catch (fault) {
        decided.push(made);
        tell(fault.message);
      }
    });
  };

  list.addEventListener("keydown", (event) => {
    const card = event.target.closest(".decidable");
    if (!card || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = cards.indexOf(card);
    const press = (key) => {
      const button = card.querySelector(`[aria-keyshortcuts=${key}]`);
      if (button?.checkVisibility()) button.click();
    };
    const act = { j: () => cards[at + 1]?.focus(), k: () => cards[at - 1]?.focus(), u: takeBack }[event.key];
    if (!act && !["y", "n", "e"].includes(event.key)) return;
    event.preventDefault();
    if (act) act();
    else press(event.key);
  });

  list.addEventListener("submit", (event) => {
    event.preventDefault();
    decide(event.target, event.submitter);
  });

  undo.addEventListener("submit", (event) => {
    if (!decided.length) return; // made before this page was loaded
    event.preventDefault();
    takeBack();
  });

  if (document.activeElement === document.body) cards[0]?.focus({ preventScroll: true });
}
