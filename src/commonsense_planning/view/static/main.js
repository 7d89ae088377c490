// Where we are, and how one goes on.

let at = 0;

function render() {
  fill("step", "", () => drawStep(at));
  fill("map", listed ? "Places" : "Map", () => drawMap(at));
  fill("times", "Times", () => drawTimes(at));
  fill("belief", "Belief", () => drawBelief(at));
  fill("search", stops[at].searched ? "Search tree of this decision" : "Why", () => drawSearch(at));
  fill("asked", "Asked of the model", () => drawAsked(at));
  fill("spent", "Calls, tokens, money", () => drawSpent(at));
  renderFacts();
  drawTrail(at);
}
function renderFacts() {
  fill("facts", "Facts", () => drawFacts(at));
}

function go(to) {
  const next = Math.max(0, Math.min(last, Math.round(to) || 0));
  if (next !== at) opened.clear();
  at = next;
  byId("slider").value = at;
  const where = stops[at].kind === "step" ? `${title(at)} of ${steps}` : title(at);
  byId("position").replaceChildren(where, make("span", { class: "unseen" }, `: ${heading(stops[at])}`));
  byId("slider").setAttribute("aria-valuetext", `${title(at)}: ${heading(stops[at])}`);
  for (const [id, ended] of [
    ["first", at === 0],
    ["back", at === 0],
    ["forward", at === last],
    ["last", at === last],
  ])
    byId(id).disabled = ended;
  history.replaceState(null, "", `#${at}`);
  rollTo(at);
  render();
}

const KEYS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
document.addEventListener("keydown", (event) => {
  const by = KEYS[event.key];
  if (by === undefined || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest?.("input[type=search], select")) return;
  event.preventDefault();
  go(by === -Infinity ? 0 : by === Infinity ? last : at + by);
});
byId("first").addEventListener("click", () => go(0));
byId("back").addEventListener("click", () => go(at - 1));
byId("forward").addEventListener("click", () => go(at + 1));
byId("last").addEventListener("click", () => go(last));
byId("slider").addEventListener("input", (event) => go(Number(event.target.value)));
window.addEventListener("hashchange", () => go(Number(location.hash.slice(1))));
matchMedia("print").addEventListener("change", () => drawTrail(at));
new ResizeObserver(() => drawTrail(at)).observe(byId("map"));

const steps = stops.filter((stop) => stop.kind === "step").length;
const about = index.about;
const made = about.made_with ?? {};
const told = [
  ["method", about.method],
  ["model", about.model],
  ["prompts", about.prompts],
  ["seed", about.seed],
  ["operators", about.operators],
  ["facts", about.facts],
  ["hidden at first", about.hidden],
  ["cplan", made.cplan],
  ...Object.entries(made.settings ?? {}).map(([name, value]) => [name.replaceAll("_", " "), value]),
];
byId("about").append(
  ...told
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([name, value]) => make("span", {}, `${name} `, make("b", {}, String(value)))),
);
byId("outcome").append(
  make(
    "span",
    { class: `badge ${about.outcome === "solved" ? "good" : "bad"}` },
    about.outcome ?? "no end: the run was cut off",
  ),
  about.reason ? ` ${about.reason}` : "",
  ` ${count(steps, "step")}`,
  ...Object.entries(about.validators ?? {}).map(([name, verdict]) =>
    make("span", { class: "soft" }, ` ${name} ${made.validators?.[name] ?? ""}: ${verdict}`),
  ),
);
fill("explanation", about.outcome === "unsolvable" ? "Why there is no plan" : "Why no plan was found", drawExplanation);
byId("slider").max = last;
drawSteps();
document.body.classList.toggle("no-map", !hasMap);
go(Number(location.hash.slice(1)));
document.documentElement.dataset.ready = performance.now().toFixed(0);
