// Keeps a log-in's secret in this browser until the platform sends it back, for browsers that keep no cookie of ours:
// in the frame's own storage, in the page that opened this window, or with the platform (LTI postMessage Storage).
// Where none of them does, the page stays, and a button opens the same log-in in a window of its own.

const PATIENCE_MS = 8000;

/** What an action gives; null where the browser forbids it. @template T @param {() => T} action */
function attempt(action) {
  try {
    return action() ?? null;
  } catch {
    return null;
  }
}

/** The frame of the platform's that stores for us: a named one beside us, or the parent or opener itself. */
function storageFrame(target) {
  const around = window.parent !== window ? window.parent : window.opener;
  if (!around) return null;
  return target && target !== "_parent" ? around.frames[target] ?? around : around;
}

/** Ask the platform, and resolve to its reply; null when it offers no storage, says no, or nothing. */
function ask(data, message) {
  const frame = data.target && storageFrame(data.target);
  if (!frame) return Promise.resolve(null);
  const id = crypto.randomUUID();
  return new Promise((resolve) => {
    const settle = (reply) => {
      window.removeEventListener("message", listen);
      clearTimeout(timer);
      resolve(reply);
    };
    const listen = (event) => {
      const reply = event.data;
      if (event.origin !== data.origin || reply?.message_id !== id) return;
      if (reply.subject === `${message.subject}.response`) settle(reply.error ? null : reply);
    };
    const timer = setTimeout(() => settle(null), PATIENCE_MS);
    window.addEventListener("message", listen);
    frame.postMessage({ ...message, key: data.key, message_id: id }, data.origin);
  });
}

/** Whether the browser gives us the log-in's cookie back. */
async function keepsCookie(name) {
  const reply = await fetch(`/lti/launch/cookie?name=${name}`).catch(() => null);
  return reply?.status === 204;
}

async function keep(data) {
  const here = attempt(() => (sessionStorage.setItem(data.key, data.value), true));
  const above = here || attempt(() => window.opener.ltiKept.set(data.key, data.value));
  const there = await ask(data, { subject: "lti.put_data", value: data.value });
  return Boolean(above || there) || keepsCookie(data.cookie);
}

async function recall(data) {
  const here = attempt(() => sessionStorage.getItem(data.key));
  attempt(() => sessionStorage.removeItem(data.key));
  const above = here ?? attempt(() => window.opener.ltiKept.get(data.key));
  return above ?? (await ask(data, { subject: "lti.get_data" }))?.value;
}

const put = document.getElementById("put");
if (put) {
  if (await keep(put.dataset)) {
    location.replace(put.dataset.next);
  } else {
    window.ltiKept = new Map(); // the window that the button opens may keep its secret here: only pages of ours reach it
    const form = document.getElementById("window");
    form.hidden = false;
    put.hidden = true;
    form.addEventListener("submit", () => (document.getElementById("opened").hidden = false));
  }
}

const get = document.getElementById("get");
if (get) {
  const secret = await recall(get.dataset);
  get.elements.browser.value = typeof secret === "string" ? secret : "none";
  get.submit();
}
