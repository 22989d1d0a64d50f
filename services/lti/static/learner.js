// Binds the sidebar of a launched page to its learner: their last session, and their token where the browser
// keeps no cookie of ours. Runs before the sidebar.

(() => {
  const { course, session, token } = document.currentScript.dataset;
  const key = `vta-sidebar:${course}`;
  try {
    const stored = JSON.parse(sessionStorage.getItem(key) ?? "null");
    if (stored?.session !== session) {
      if (session) sessionStorage.setItem(key, JSON.stringify({ session, waiting: [] }));
      else sessionStorage.removeItem(key); // perhaps of whoever sat here before
    }
  } catch {
    // the browser keeps nothing for us: the visit has no memory beyond this page
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
