// Draws what the slides name: the steps on a parabola (`data-steps`), and the elements of a stack (`data-stack`).

const x = (weight) => 150 + weight * 15;
const y = (weight) => 200 - weight * weight * 2.6;

for (const svg of document.querySelectorAll("svg[data-steps]")) {
  const curve = Array.from({ length: 53 }, (_, n) => (n - 26) / 3).map((w) => `${x(w)},${y(w)}`);
  const steps = svg.dataset.steps.split(" ").map(Number);
  const moves = steps.map((w) => `${x(w)},${y(w)}`);
  const dots = steps.map((w) => `<circle class="dot" cx="${x(w)}" cy="${y(w)}" r="7"/>`);
  svg.setAttribute("viewBox", "0 0 300 215");
  svg.innerHTML = `<polyline points="${curve.join(" ")}"/><polyline class="move" points="${moves.join(" ")}"/>${dots.join("")}`;
}
for (const stack of document.querySelectorAll("[data-stack]")) {
  stack.className = "stack";
  for (const item of stack.dataset.stack.split(" ").filter(Boolean)) {
    stack.append(Object.assign(document.createElement("span"), { textContent: item }));
  }
}
