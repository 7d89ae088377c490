// The search tree of a decision, as a table of the root's choices that opens downwards.

const POLICY_OF = {
  model: " is the model's at the root, which was asked what comes next",
  planner: " is the planner's, not the model's, which was not asked what comes next",
  nobody: " is the same for all: nobody was asked",
};
const opened = new Set(); // paths of choices that are open, such as "3/0/1"

function drawSearch(at) {
  if (stops[at].kind !== "step") return null;
  if (!stops[at].searched) return stops[at].planned ? carriesOn(decidedAt(at)) : reasons(at);
  const tree = details(at).search,
    costs = tree.values === "costs";
  const whose = Object.hasOwn(POLICY_OF, tree.policy_of ?? "") ? POLICY_OF[tree.policy_of] : "";
  const most = Math.max(1, ...tree.choices.map((choice) => choice.n));
  const rows = [];
  addChoices(rows, tree.choices, "", 0, most);
  const head = [
    ["", "choice"],
    ["N", "visits N(h,a): how often the search went there"],
    [
      costs ? "Q, cost" : "Q",
      costs ? "Q(h,a): expected steps to the goal; less is better" : "Q(h,a): mean discounted reward; more is better",
    ],
    ["π̂", "the policy's probability π̂(a|h)" + whose],
    ["value", costs ? "−Q as a share of what a roll-out costs" : "Q, as it enters the sum"],
    ["+ bonus", tree.rule === "UCB1" ? "c·√(ln N(h) / N(h,a))" : "c·π̂·√N(h) / (N(h,a) + 1)"],
    ["= " + tree.rule, "what selection goes by: the highest is tried next"],
  ];
  const left = tree.left_out
    ? make("p", { class: "soft" }, `and ${count(tree.left_out, "more choice")}, less visited`)
    : null;
  return [
    make(
      "p",
      { class: "soft" },
      `${count(tree.n, "simulation")} went through the root` +
        (tree.v == null ? "" : `; best expected ${costs ? "cost" : "value"} ${number(tree.v, 2)}`) +
        `.${tree.expected ? sayExpected(tree.expected) : ""} ${tree.rule} with c = ${tree.c}; ${costs ? "Q is a cost in steps: less is better." : "Q is a reward: more is better."}` +
        (whose ? ` π̂${whose}.` : ""),
    ),
    make(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Search tree" },
      make(
        "table",
        { class: "tree" },
        make(
          "thead",
          {},
          make("tr", {}, ...head.map(([text, why]) => make("th", { scope: "col", title: why }, text || "choice"))),
        ),
        make("tbody", {}, ...rows),
      ),
    ),
    left,
    make(
      "details",
      { class: "soft" },
      make("summary", {}, "What the columns mean"),
      make("dl", {}, ...head.slice(1).flatMap(([text, why]) => [make("dt", {}, text), make("dd", {}, why)])),
      make("p", {}, "Rows in italics say what was seen after a choice. A choice with ▸ opens."),
    ),
  ];
}

// How far the search may be from its best.
function sayExpected(it) {
  const worlds = `${it.all_worlds ? "all " : ""}${count(it.worlds, "possible world")}${it.all_worlds ? "" : " (a sample)"}`;
  const least = it.lower_bound == null ? "no bound is proven" : `none can be expected to take less than ${number(it.lower_bound, 2)}`;
  return ` In ${worlds} its policy is expected to take ${number(it.reached, 2)} steps${it.exact ? "" : " (an estimate)"}; ${least}.`;
}

function addChoices(rows, choices, path, depth, most) {
  const alike = new Map(); // choices of one name are told apart by their actions
  const name = (choice) => `${choice.says} ${choice.steps}`;
  for (const choice of choices) alike.set(name(choice), (alike.get(name(choice)) ?? 0) + 1);
  choices.forEach((choice, i) =>
    addChoice(
      rows,
      choice,
      alike.get(name(choice)) > 1 ? choice.action : sayAction(choice.action, choice.says),
      `${path}${i}`,
      depth,
      most,
    ),
  );
}

function addChoice(rows, choice, label, path, depth, most) {
  const below = (choice.then ?? []).filter((sight) => sight.choices?.length || sight.seen?.length || sight.n);
  const open = opened.has(path);
  const name = make(
    "span",
    { class: "choice", title: choice.action },
    label,
    choice.steps ? make("span", { class: "soft" }, ` ${choice.steps} steps`) : null,
  );
  const opener = below.length
    ? make(
        "button",
        {
          type: "button",
          class: "opener",
          "aria-expanded": String(open),
          "aria-label": `${open ? "Close" : "Open"} ${label}`,
          on: {
            click: () => {
              opened[open ? "delete" : "add"](path);
              render();
              refocus(path);
            },
          },
          "data-path": path,
        },
        open ? "▾" : "▸",
      )
    : make("span", { class: "opener" });
  const total = choice.explore == null ? null : choice.exploit + choice.explore;
  rows.push(
    make(
      "tr",
      { class: choice.taken ? "taken" : choice.n ? "" : "untried" },
      make(
        "th",
        { scope: "row", vars: { "--depth": depth } },
        opener,
        name,
        choice.taken ? make("span", { class: "tag" }, "taken") : null,
      ),
      make("td", { class: "visits", vars: { "--share": choice.n / most } }, make("span", {}, String(choice.n))),
      make("td", {}, number(choice.q, 3)),
      make("td", {}, choice.p == null ? "–" : number(choice.p, 3)),
      make("td", {}, choice.n ? number(choice.exploit, 3) : "–"),
      make("td", {}, choice.explore == null ? "∞" : number(choice.explore, 3)),
      make("td", {}, total == null ? "∞" : number(total, 3)),
    ),
  );
  if (!open) return;
  below.forEach((sight, i) => {
    const seen =
      sight.seen === null
        ? "another outcome"
        : sight.seen.length
          ? `if it sees ${sight.seen.map(sayFact).join(", ")}`
          : "if it sees nothing new";
    rows.push(
      make(
        "tr",
        { class: "sight" },
        make("th", { scope: "row", vars: { "--depth": depth + 1 } }, make("i", {}, seen)),
        make("td", { class: "visits", vars: { "--share": sight.n / most } }, make("span", {}, String(sight.n))),
        make("td", {}, sight.v == null ? "" : number(sight.v, 3)),
        make("td"),
        make("td"),
        make("td"),
        make("td"),
      ),
    );
    addChoices(rows, sight.choices ?? [], `${path}/${i}/`, depth + 2, most);
    if (sight.left_out)
      rows.push(
        make(
          "tr",
          { class: "sight" },
          make(
            "th",
            { scope: "row", vars: { "--depth": depth + 2 } },
            make("i", {}, `and ${count(sight.left_out, "more choice")}`),
          ),
          ...Array.from({ length: 6 }, () => make("td")),
        ),
      );
  });
}

function refocus(path) {
  [...document.querySelectorAll(".opener[data-path]")].find((button) => button.dataset.path === path)?.focus();
}

// A step of a plan that was made at another stop.
function carriesOn(from) {
  if (from === undefined) return null;
  const taken = stops[from].searched ? details(from).search.choices.find((choice) => choice.taken) : null;
  const link = make("button", { type: "button", class: "link", on: { click: () => go(from) } }, title(from));
  const what = taken ? `: ${sayAction(taken.action, taken.says)}.` : ".";
  return [make("p", {}, "Carries on with what was decided at ", link, what)];
}

// Where there is no tree: what the trace gives as reasons.
function reasons(at) {
  const why = Object.entries(details(at).why ?? {});
  if (!why.length) return null;
  const untold = details(at).why.visits
    ? make("p", { class: "soft" }, "A trace that is written with --trace-search tells the search tree, too.")
    : null;
  return [
    make(
      "dl",
      { class: "why" },
      ...why.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, plain(value))]),
    ),
    untold,
  ];
}
function plain(value) {
  if (Array.isArray(value)) return value.map(plain).join(", ");
  if (value === null || typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name}: ${plain(one)}`)
    .join("; ");
}
