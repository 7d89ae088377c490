// Making elements. Text goes in as text, never as markup.

function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "on") for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    else if (name === "vars")
      for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text); // no attribute: the policy
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}
const SVG = "http://www.w3.org/2000/svg";
function draw(tag, properties = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
const byId = (id) => document.getElementById(id);
const count = (number, what) => `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
const percent = (p) =>
  p >= 0.995 && p < 1 ? ">99 %" : p >= 0.0995 || p === 0 ? `${Math.round(100 * p)} %` : `${(100 * p).toFixed(1)} %`;
function number(x, digits = 3) {
  if (x == null) return "–";
  return (Math.abs(x) < 1e5 ? Number(x).toFixed(digits) : Number(x).toExponential(1)).replaceAll("-", "−");
}

// Fill a panel; what cannot be drawn is said, and the others are drawn all the same.
function fill(id, title, contents) {
  const panel = byId(id);
  let drawn;
  try {
    drawn = contents();
  } catch (error) {
    drawn = [make("p", { class: "soft" }, `This part of the trace cannot be drawn: ${error.message}`)];
  }
  panel.hidden = drawn === null;
  if (drawn === null) return;
  const heading = title ? [make("h2", { id: `${id}-title` }, title)] : [];
  panel.replaceChildren(...heading, ...drawn.filter((child) => child != null));
}
