// The console works without this script; it only asks before something is removed.

for (const button of document.querySelectorAll("button.danger")) {
  button.addEventListener("click", (event) => {
    if (!window.confirm(`${button.textContent}?`)) event.preventDefault();
  });
}
