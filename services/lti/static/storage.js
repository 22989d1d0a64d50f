// Keeps a log-in's secret with the platform, and gets it back, for browsers that keep no cookie of ours
// (LTI Client Side postMessages, LTI postMessage Storage).

const PATIENCE_MS = 2500;

/** The frame of the platform's that stores for us: a named one beside us, or the parent or opener itself. */
function storageFrame(target) {
  const around = window.parent !== window ? window.parent : window.opener;
  if (!around) return null;
  return target && target !== "_parent" ? around.frames[target] ?? around : around;
}

/** Ask the platform, and resolve to its reply; null when it says no, or nothing. */
function ask(data, message) {
  const frame = storageFrame(data.target);
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

const put = document.getElementById("put");
if (put) {
  await ask(put.dataset, { subject: "lti.put_data", value: put.dataset.value });
  location.replace(put.dataset.next); // without it the cookie may do
}

const get = document.getElementById("get");
if (get) {
  const reply = await ask(get.dataset, { subject: "lti.get_data" });
  get.elements.browser.value = typeof reply?.value === "string" ? reply.value : "none";
  get.submit();
}
