// The answer can be typed or pasted at once, in place of the draft; the page stays where it is.

const answer = document.querySelector("[data-testid=answer-text]");
if (answer && !document.querySelector("[autofocus]")) {
  answer.focus({ preventScroll: true });
  answer.select();
}
