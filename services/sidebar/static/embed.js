// <script async src="https://VTA/embed.js"></script>
// <vta-assistant course="ID" token-url="/your/token" video="file" second="61"></vta-assistant>
//
// Nothing but this file is loaded until the student opens the assistant, or a real TA's answer may have come.
// docs/embedding.md explains the rest.
(() => {
  const VERSION = 1;
  const source = document.currentScript.src;
  const home = new URL(source).origin;
  const TEXTS = {
    zh: ["课程助教", "关闭课程助教", (count) => `真人助教的新回复：${count}`],
    en: ["Teaching assistant", "Close the teaching assistant", (count) => `${count} new answer${count > 1 ? "s" : ""} from a real TA`],
  };
  const POSITION = ["unit", "video", "second", "page", "heading"];
  const STYLE = `
    :host { --vta-accent: light-dark(#27589f, #9dc0f7); --vta-ink: light-dark(#fff, #12233c); color-scheme: light dark }
    :host([theme=light]) { color-scheme: light }
    :host([theme=dark]) { color-scheme: dark }
    [hidden] { display: none !important }
    button { position: fixed; z-index: 2147483000; inset: auto 1rem 1rem auto; min-height: 2.75rem; padding: 0 1.125rem;
      border: 0; border-radius: 1.5rem; font: 600 1rem system-ui, sans-serif; cursor: pointer;
      background: var(--vta-accent); color: var(--vta-ink) }
    span { margin-inline-start: .5rem; padding: .0625rem .4375rem; border-radius: 1rem; background: #b3261e; color: #fff }
    button:focus-visible { outline: 3px solid var(--vta-accent); outline-offset: 2px }
    iframe { position: fixed; z-index: 2147483000; inset: auto 1rem 4.5rem auto; width: min(26rem, 100vw - 2rem);
      height: min(42rem, 100dvh - 6rem); box-sizing: border-box; border: 1px solid #8888;
      border-radius: .75rem; background: Canvas }
    :host([inline]) :is(button, iframe) { position: static }
    :host([inline]) iframe { display: block; width: 100%; margin-top: .5rem }
    @media (max-width: 30rem) { :host(:not([inline])) iframe { inset: 0 0 auto; width: 100%; height: calc(100dvh - 4.5rem); border-radius: 0 } }`;

  class VtaAssistant extends HTMLElement {
    static observedAttributes = POSITION;
    #button;
    #frame;
    #language;
    #texts;
    #answered = 0; // real TAs' answers that were not seen

    connectedCallback() {
      if (this.#button) return;
      const language = /^zh\b/i.test(this.lang || this.closest("[lang]")?.lang || navigator.language) ? "zh" : "en";
      const sheet = new CSSStyleSheet(); // allowed under any style-src
      sheet.replaceSync(STYLE);
      const root = this.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [sheet];
      this.#button = document.createElement("button");
      this.#button.type = "button";
      this.#button.addEventListener("click", () => this.toggle());
      root.append(this.#button);
      this.#frame = document.createElement("iframe");
      this.#frame.hidden = true;
      this.#frame.title = TEXTS[language][0];
      this.#frame.allow = "clipboard-write";
      this.#frame.addEventListener("load", () => this.#greet());
      this.#texts = TEXTS[language];
      this.#language = language;
      this.#show(false);
      addEventListener("message", this.#hear);
      if (this.hasAttribute("open")) this.toggle(true);
      else (window.requestIdleCallback ?? setTimeout)(() => this.#mayBeAnswered() && this.#load());
    }

    disconnectedCallback() {
      removeEventListener("message", this.#hear);
    }

    attributeChangedCallback() {
      this.#tellPosition();
    }

    /** Open or close. */
    toggle(open = this.#frame.hidden) {
      if (open) this.#load();
      this.#show(open);
      (open ? this.#frame : this.#button).focus();
      this.#report({ open });
    }

    /** The frame is made once, when it is first needed. */
    #load() {
      if (this.#frame.isConnected) return;
      const address = new URL(`embed/${encodeURIComponent(this.getAttribute("course"))}`, source);
      address.search = new URLSearchParams({ lang: this.#language, theme: this.getAttribute("theme") || "auto" });
      this.#frame.src = address;
      this.shadowRoot.append(this.#frame);
    }

    get #key() {
      return `vta-waiting:${this.getAttribute("course")}`;
    }

    /** Whether a question waits in this browser, or a signed-in learner comes, who may have asked in another one. */
    #mayBeAnswered() {
      try {
        const comes = (this.getToken || this.hasAttribute("token-url")) && !sessionStorage.getItem(this.#key);
        sessionStorage.setItem(this.#key, "1");
        return comes || localStorage.getItem(this.#key);
      } catch {
        return false; // storage is blocked
      }
    }

    #mark(waiting, answered) {
      this.#answered = answered;
      this.#show(!this.#frame.hidden);
      this.#report({ open: !this.#frame.hidden, answered });
      try {
        if (waiting) localStorage.setItem(this.#key, "1");
        else localStorage.removeItem(this.#key);
      } catch {
        // storage is blocked
      }
    }

    /** A short-lived token: from `getToken` if the page sets it, `token-url`, or the attribute `token`, used once. */
    async #token() {
      if (this.getToken) return this.getToken();
      const given = this.getAttribute("token");
      this.removeAttribute("token");
      const url = this.getAttribute("token-url");
      if (given || !url) return given;
      const reply = await fetch(url, { credentials: "same-origin", cache: "no-store" });
      return reply.ok ? (await reply.json()).token : null;
    }

    async #greet() {
      this.#tellPosition(); // at once: the frame learns that it is not alone
      await this.#give("hello");
    }

    async #give(type) {
      const token = await this.#token().catch(() => null);
      this.#say({ type, token, suggestions: this.getAttribute("suggestions") });
    }

    #tellPosition() {
      const position = { type: "position" };
      for (const name of POSITION) position[name] = this.getAttribute(name);
      for (const name of ["second", "page"]) if (position[name] !== null) position[name] = Number(position[name]);
      this.#say(position);
    }

    #say(message) {
      this.#frame?.contentWindow?.postMessage({ vta: VERSION, ...message }, home);
    }

    #hear = ({ source: from, origin, data }) => {
      if (origin !== home || from !== this.#frame.contentWindow || data?.vta !== VERSION) return;
      if (data.type === "token-needed") this.#give("token");
      if (data.type === "close") this.toggle(false);
      if (data.type === "seek") this.#dispatch("vta-seek", { video: data.video, second: data.second });
      if (data.type === "answers") this.#mark(data.waiting > 0, Number(data.answered) || 0);
      if (data.type === "state") {
        if (this.hasAttribute("inline")) this.#frame.style.height = `clamp(20rem, ${Number(data.height)}px, 90dvh)`;
        this.#report({ open: !this.#frame.hidden, height: data.height });
      }
    };

    #show(open) {
      this.#frame.hidden = !open;
      const [name, close, answers] = this.#texts;
      this.#button.textContent = open ? close : name;
      this.#button.setAttribute("aria-expanded", open);
      this.#button.removeAttribute("aria-label");
      if (open || !this.#answered) return;
      const mark = document.createElement("span");
      mark.textContent = this.#answered;
      this.#button.append(mark);
      this.#button.setAttribute("aria-label", `${name}: ${answers(this.#answered)}`);
    }

    #report(detail) {
      this.#dispatch("vta-state", detail);
    }

    #dispatch(name, detail) {
      this.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true, detail }));
    }
  }

  customElements.define("vta-assistant", VtaAssistant);
})();
