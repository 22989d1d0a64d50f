// Binds the sidebar of a launched page to its learner: their last session, and their token where the browser
// keeps no cookie of ours. Runs before the sidebar.

(() => {
  const { course, session, token } = document.currentScript.dataset;
  const key = `vta-sidebar:${course}`;

  /** Storage that lasts as long as the page, for browsers that refuse a frame the real one. */
  function provideStorage() {
    const kept = new Map();
    const value = {
      getItem: (name) => kept.get(name) ?? null,
      setItem: (name, text) => kept.set(name, String(text)),
      removeItem: (name) => kept.delete(name),
    };
    Object.defineProperty(window, "sessionStorage", { value });
  }

  try {
    window.sessionStorage.getItem(key);
  } catch {
    provideStorage();
  }
  const stored = JSON.parse(sessionStorage.getItem(key) ?? "null");
  if (stored?.session !== session) {
    if (session) sessionStorage.setItem(key, JSON.stringify({ session, waiting: [] }));
    else sessionStorage.removeItem(key); // perhaps of whoever sat here before
  }

  if (!token) return;
  const root = new URL("/v1/courses/", location.href).href;
  const send = window.fetch.bind(window);
  window.fetch = (address, options = {}) => {
    if (!new URL(address, location.href).href.startsWith(root)) return send(address, options);
    const headers = new Headers(options.headers);
    headers.set("Authorization", `Bearer ${token}`);
    return send(address, { ...options, headers });
  };
})();
