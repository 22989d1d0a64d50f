// Files and folders that are dropped on the form of an upload, and its limits before anything is sent.
// Without this script the two fields of the form work as they are.

const form = document.querySelector("[data-upload]");
const status = form?.querySelector("[role=status]");
const MB = 1_000_000;

function words(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** What is wrong with these files before they are sent; empty where nothing is. */
function refusal(files) {
  const { mostFiles, mostMb, tooMany, tooLarge } = form.dataset;
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  if (files.length > mostFiles) return words(tooMany, { count: files.length, most: mostFiles });
  if (bytes > mostMb * MB) return words(tooLarge, { mb: Math.ceil(bytes / MB), most: mostMb });
  return "";
}

function say(text, isFault = false) {
  status.textContent = text;
  status.className = isFault ? "fault" : "help";
}

/** The files of a dropped file or folder, each with its path. */
async function filesOf(entry, folder = "") {
  const path = `${folder}${entry.name}`;
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ path, file }];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return found;
    for (const each of some) found.push(...(await filesOf(each, `${path}/`)));
  }
}

/** The files of what was dropped; of a page of another program there may be a file and no entry. */
async function filesOfItem(item) {
  const entry = item.webkitGetAsEntry();
  if (entry) return filesOf(entry);
  const file = item.getAsFile();
  return file ? [{ path: file.name, file }] : [];
}

async function send(files) {
  const body = new FormData();
  body.append("csrf", form.elements.csrf.value);
  for (const { path, file } of files) body.append("files", file, path);
  say(words(form.dataset.sending, { count: files.length }));
  const reply = await fetch(form.action, { method: "POST", body }).catch(() => null);
  if (reply?.redirected) return window.location.assign(reply.url);
  const page = reply && new DOMParser().parseFromString(await reply.text(), "text/html");
  say(page?.querySelector("[data-testid=fault]")?.textContent ?? form.dataset.notSent, true);
}

if (form) {
  form.querySelector("[data-drop]").hidden = false;
  form.addEventListener("submit", (event) => {
    const chosen = [...form.querySelectorAll("[type=file]")].flatMap((input) => [...input.files]);
    const fault = refusal(chosen.map((file) => ({ file })));
    if (fault) event.preventDefault();
    say(fault || (chosen.length ? words(form.dataset.sending, { count: chosen.length }) : ""), Boolean(fault));
  });
  for (const kind of ["dragenter", "dragover"]) {
    form.addEventListener(kind, (event) => {
      event.preventDefault();
      form.classList.add("over");
    });
  }
  form.addEventListener("dragleave", (event) => {
    if (!form.contains(event.relatedTarget)) form.classList.remove("over");
  });
  form.addEventListener("drop", async (event) => {
    event.preventDefault();
    form.classList.remove("over");
    const files = (await Promise.all([...event.dataTransfer.items].map(filesOfItem))).flat();
    const fault = refusal(files);
    if (fault) say(fault, true);
    else if (files.length) await send(files);
  });
}
