// The other panels: the step itself, the belief as bars, what was asked, what that cost, the facts, all steps.

const KINDS = {
  start: "Start",
  end: "The end",
  guide: "A guide is written",
  back: "Back to an earlier step",
  expand: "Ways are predicted",
  doubt: "Asked again",
  route: "A route",
};
const heading = (stop) => sayAction(stop.action, stop.says) || KINDS[stop.kind] || stop.kind;
const title = (at) => (stops[at].kind === "step" ? `step ${stops[at].step}` : heading(stops[at]));
const SHOWN = 12; // facts of a list that are shown before it is opened

function factList(facts, kind = "") {
  const item = (fact) => make("li", { class: kind, title: fact }, sayFact(fact));
  if (facts.length <= SHOWN) return make("ul", { class: "facts" }, ...facts.map(item));
  return make(
    "div",
    {},
    make("ul", { class: "facts" }, ...facts.slice(0, SHOWN).map(item)),
    make(
      "details",
      {},
      make("summary", {}, `and ${facts.length - SHOWN} more`),
      make("ul", { class: "facts" }, ...facts.slice(SHOWN).map(item)),
    ),
  );
}

// Of each cause a chain, from the goal down to what is missing. A line is a condition, and what it needs.
function drawExplanation() {
  const chains = index.about.explanation ?? [];
  if (!chains.length) return null;
  const link = (line) => {
    const [, condition, why] = /^(\(.*?\)|.*?): (.*)$/.exec(line) ?? [null, null, line];
    return make("li", {}, condition ? make("code", {}, condition) : null, make("span", { class: "soft" }, why));
  };
  const chain = (lines, i) =>
    make(
      "figure",
      {},
      chains.length > 1 ? make("figcaption", {}, `Cause ${i + 1} of ${chains.length}`) : null,
      make(
        "ol",
        { class: "chain" },
        make("li", { class: "goal" }, "the goal"),
        ...lines.slice(0, -1).map(link),
        make("li", { class: "cause" }, make("b", {}, "the cause"), lines.at(-1) ?? ""),
      ),
    );
  return [make("div", { class: "causes" }, ...chains.map(chain))];
}

function drawStep(at) {
  const stop = stops[at],
    named = (numbers) => numbers.map((i) => index.facts[i]);
  const more = Object.entries(details(at)).filter(
    ([name]) => !["why", "belief", "search", "asked", "says", "action"].includes(name),
  );
  return [
    make(
      "p",
      { class: "soft" },
      stop.kind === "step" ? `Step ${stop.step}` : stop.kind === "start" ? "Before the first step" : stop.kind,
    ),
    make("h2", {}, heading(stop)),
    stop.action ? make("p", {}, make("code", {}, stop.action)) : null,
    ...stop.notes.map((note) => make("p", { class: "note" }, note)),
    stop.seen.length ? make("h3", {}, at ? "Saw" : "Saw at first") : null,
    stop.seen.length ? factList(named(stop.seen), "new") : null,
    ...more
      .filter(([name, value]) => !(Array.isArray(value) && !value.length))
      .map(([name, value]) =>
        make("p", { class: "long" }, make("b", {}, `${name.replaceAll("_", " ")}: `), plain(value)),
      ),
  ];
}

const MOST_BARS = 8,
  FEWER_BARS = 4; // of a thing, where there are up to three things, and where there are more
const predicateOf = (thing) => parts(thing.of.startsWith("(") ? thing.of : (thing.places[0]?.[0] ?? "of"))[0];
const isObject = (thing) => thing.of.split(" ").every((name) => Object.hasOwn(index.called, name));
const thingName = (thing) =>
  isObject(thing)
    ? thing.of.split(" ").map(called).join(" ")
    : thing.of.startsWith("(")
      ? sayFact(thing.of)
      : `exactly one ${predicateOf(thing)}`;
const isSettled = (thing) => (thing.places[0]?.[1] ?? 1) === 1;
function drawBelief(at) {
  const things = beliefAt(at).sort((a, b) => isSettled(a) - isSettled(b));
  if (!things.length) return null;
  const carried = new Set(
    [...factsAt(at)]
      .map((i) => parts(index.facts[i]))
      .filter(([predicate]) => held.has(predicate))
      .map(([, name]) => name),
  );
  const most = things.filter((thing) => !isSettled(thing)).length > 3 ? FEWER_BARS : MOST_BARS;
  const before = new Map((at ? beliefAt(at - 1) : []).map((thing) => [thing.id, new Map(thing.places)]));
  const place = (thing, fact) => {
    const of = thing.of.split(" ");
    return fact === thing.of || parts(fact).slice(1).every((name) => of.includes(name)) ? "true" : sayRelation(fact, of);
  };
  return [
    make(
      "p",
      { class: "soft" },
      "How likely each thing is where, after this step. ┆ is where the bar stood before it; ◎ is where the thing really is, which the agent is not told.",
    ),
    ...things.map((thing) => {
      const was = before.get(thing.id),
        settled = isSettled(thing);
      const bars = thing.places.slice(0, settled ? 1 : most);
      const rest = thing.places.slice(bars.length).reduce((sum, [, p]) => sum + p, 0);
      return make(
        "div",
        { class: "thing" },
        make(
          "h3",
          { title: thing.of },
          thingName(thing),
          settled && thing.places.length ? make("span", { class: "tag" }, "known") : null,
          thing.places.length
            ? null
            : make("span", { class: "tag" }, carried.has(thing.of) ? "carried" : "in none of its places"),
        ),
        make(
          "ul",
          { class: "bars" },
          ...bars.map(([fact, p]) =>
            make(
              "li",
              { title: fact },
              make(
                "span",
                { class: "where" },
                place(thing, fact),
                !settled && (thing.true ?? []).includes(fact)
                  ? make("span", { class: "real", title: "where it really is" }, " ◎")
                  : null,
              ),
              make(
                "span",
                { class: "bar", vars: { "--p": p } },
                was && Math.abs((was.get(fact) ?? 0) - p) > 0.0005
                  ? make("i", { class: "was", vars: { "--p": was.get(fact) ?? 0 } })
                  : null,
              ),
              make("span", { class: "value" }, percent(p)),
            ),
          ),
          rest > 0.0005
            ? make(
                "li",
                { class: "soft" },
                make("span", { class: "where" }, count(thing.places.length - bars.length, "other place")),
                make("span", { class: "bar", vars: { "--p": rest } }),
                make("span", { class: "value" }, percent(rest)),
              )
            : null,
        ),
      );
    }),
  ];
}

function drawAsked(at) {
  const asked = details(at).asked;
  if (!asked) return null; // told with --trace-search
  const others = meter.get("questions")[at] - (at ? meter.get("questions")[at - 1] : 0) - asked.length;
  if (!asked.length && others <= 0) return null;
  const untold =
    others > 0
      ? make(
          "p",
          { class: "soft" },
          `${asked.length ? "And " : ""}${count(others, asked.length ? "more question" : "question")} to which plans stood in for the model's answers.`,
        )
      : null;
  return [
    ...asked.map((question) => {
      const answers = (question.answers ?? []).map((answer) => (Array.isArray(answer) ? answer : [answer, null]));
      const most = Math.max(1e-9, ...answers.map(([, times]) => times ?? 0));
      return make(
        "div",
        { class: "question" },
        make("h3", {}, question.about ?? ""),
        make(
          "p",
          { class: "soft" },
          question.kind ?? "",
          question.options ? `, ${count(question.options, "admissible answer")}` : "",
        ),
        answers.length
          ? make(
              "ul",
              { class: "bars" },
              ...answers.map(([text, times]) =>
                make(
                  "li",
                  { class: times === null ? "text" : "" },
                  make("span", { class: "where answer" }, String(text)),
                  times === null ? null : make("span", { class: "bar", vars: { "--p": times / most } }),
                  times === null
                    ? null
                    : make(
                        "span",
                        { class: "value" },
                        `× ${Number(times).toLocaleString("en", { maximumFractionDigits: 1 })}`,
                      ),
                ),
              ),
            )
          : make("p", {}, "no usable answer"),
      );
    }),
    untold,
  ];
}

const METERS = [
  ["questions", "questions"],
  ["calls", "requests"],
  ["prompt_tokens", "tokens asked"],
  ["completion_tokens", "tokens answered"],
  ["usd", "US dollars"],
];
const meter = new Map(
  METERS.map(([name]) => {
    let so_far = 0; // what is spent is told as a sum, at the events that told it
    return [name, stops.map((stop) => (so_far = stop.spent[name] ?? so_far))];
  }),
);
function drawSpent(at) {
  const shownMeters = METERS.filter(([name]) => meter.get(name)[last] > 0);
  if (!shownMeters.length) return null;
  return [
    make(
      "div",
      { class: "charts" },
      ...shownMeters.map(([name, words]) => {
        const values = meter.get(name),
          top = values[last] || 1,
          width = Math.max(1, last);
        const text = (value) => (name === "usd" ? value.toFixed(4) : value.toLocaleString("en"));
        const stride = Math.max(1, Math.floor(values.length / 500));
        let path = `M0 ${48 * (1 - values[0] / top) + 1}`;
        for (let i = stride; i <= last; i += stride)
          path += `H${(100 * i) / width}V${(48 * (1 - values[i] / top) + 1).toFixed(2)}`;
        path += `H100V${48 * (1 - values[last] / top) + 1}`;
        const chart = draw(
          "svg",
          {
            viewBox: "0 0 100 50",
            preserveAspectRatio: "none",
            role: "img",
            "aria-label": `${words}: ${text(values[at])} of ${text(top)} up to here`,
          },
          draw("path", { d: `${path}V50H0Z`, class: "area" }),
          draw("path", { d: path, class: "line" }),
          draw("line", { x1: (100 * at) / width, x2: (100 * at) / width, y1: 0, y2: 50, class: "cursor" }),
        );
        chart.addEventListener("click", (event) => go(Math.round((width * event.offsetX) / chart.clientWidth)));
        return make(
          "figure",
          {},
          make(
            "figcaption",
            {},
            `${words} `,
            make("b", {}, text(values[at])),
            make("span", { class: "soft" }, ` of ${text(top)}`),
          ),
          chart,
        );
      }),
    ),
  ];
}

let wantedFacts = "";
const MOST_FACTS = 400;
function drawFacts(at) {
  const stop = stops[at],
    facts = factsAt(at),
    named = (numbers) => numbers.map((i) => index.facts[i]);
  if (!facts.size && !stop.gone.length)
    return [
      make(
        "p",
        { class: "soft" },
        Object.keys(index.called).length
          ? "Nothing is known here, as far as the trace tells."
          : "This trace does not tell what is known. cplan solve … --trace FILE writes one that does.",
      ),
    ];
  const words = wantedFacts.toLowerCase();
  const all = named([...facts])
    .filter((fact) => !words || fact.toLowerCase().includes(words) || sayFact(fact).toLowerCase().includes(words))
    .sort();
  const groups = new Map();
  for (const fact of all.slice(0, words ? MOST_FACTS : Infinity))
    groups.set(parts(fact)[0], [...(groups.get(parts(fact)[0]) ?? []), fact]);
  const list = make(
    "div",
    {},
    ...[...groups].map(([predicate, some]) =>
      make(
        "details",
        {
          open: words !== "" || openGroups.has(predicate),
          on: { toggle: (e) => openGroups[e.target.open ? "add" : "delete"](predicate) },
        },
        make("summary", {}, predicate, make("span", { class: "soft" }, ` ${some.length}`)),
        make(
          "ul",
          { class: "facts" },
          ...some
            .slice(0, MOST_FACTS)
            .map((fact) =>
              make(
                "li",
                { title: fact },
                sentence(fact) ? sayFact(fact) : parts(fact).slice(1).map(called).join(", ") || "true",
              ),
            ),
          some.length > MOST_FACTS ? make("li", { class: "soft" }, `and ${some.length - MOST_FACTS} more`) : null,
        ),
      ),
    ),
  );
  const changed =
    at && (stop.now.length || stop.gone.length)
      ? [
          make("h3", {}, "Changed by this step"),
          make("div", { class: "changed" }, factList(named(stop.now), "new"), factList(named(stop.gone), "gone")),
        ]
      : [];
  return [
    ...changed,
    make(
      "h3",
      {},
      `${count(all.length, "fact")} ${index.known === null ? "seen so far" : "known to be true"}${words ? " with these letters" : ""}`,
    ),
    make("input", {
      type: "search",
      id: "filter",
      value: wantedFacts,
      placeholder: "only those with …",
      "aria-label": "Only facts with these letters",
      on: {
        input: (e) => {
          wantedFacts = e.target.value;
          renderFacts();
          byId("filter").focus();
          byId("filter").setSelectionRange(wantedFacts.length, wantedFacts.length);
        },
      },
    }),
    list,
  ];
}
const openGroups = new Set(hasMap && !listed ? [] : changing);

// All steps: only the rows in sight are there.
const ROW = 32,
  MOST_ROWS = 12;
let roll = null;
function drawSteps() {
  roll = make(
    "div",
    {
      class: "roll",
      tabindex: 0,
      role: "region",
      "aria-label": "All steps",
      vars: { height: `${ROW * Math.min(MOST_ROWS, stops.length) + 2}px` },
      on: { scroll: rollRows },
    },
    make("ol", { vars: { height: `${ROW * stops.length}px` } }),
  );
  byId("steps").replaceChildren(make("h2", { id: "steps-title" }, "All steps"), roll);
}
let current = 0;
function rollRows() {
  const first = Math.max(0, Math.floor(roll.scrollTop / ROW) - 5),
    end = Math.min(stops.length, first + Math.ceil((roll.clientHeight || 320) / ROW) + 10);
  const rows = [];
  for (let at = first; at < end; at++)
    rows.push(
      make(
        "li",
        { vars: { top: `${at * ROW}px` } },
        make(
          "button",
          {
            type: "button",
            tabindex: -1,
            "aria-current": at === current ? "step" : false,
            on: { click: () => go(at) },
          },
          make("span", { class: "soft" }, stops[at].kind === "step" ? String(stops[at].step) : "·"),
          ` ${heading(stops[at])}`,
        ),
      ),
    );
  roll.firstChild.replaceChildren(...rows);
}
function rollTo(at) {
  current = at;
  const top = at * ROW;
  if (top < roll.scrollTop || top + ROW > roll.scrollTop + roll.clientHeight)
    roll.scrollTop = top - roll.clientHeight / 2;
  rollRows();
}

// Of a plan with times: a bar for each action, from its start to its end.
const timed = stops.map((stop, i) => ({ ...stop, at: i })).filter((stop) => stop.starts !== undefined);
const BAR = 18,
  WIDE = 600;
function drawTimes(at) {
  if (!timed.length) return null;
  const end = Math.max(...timed.map((stop) => stop.starts + stop.lasts)) || 1;
  const x = (time) => (time / end) * WIDE;
  const clock = (time) => String(Number(time.toFixed(3)));
  const bars = timed.map((stop, row) => {
    const middle = x(stop.starts + stop.lasts / 2);
    const bar = draw("rect", {
      x: x(stop.starts),
      y: row * BAR + 2,
      width: Math.max(2, x(stop.lasts)),
      height: BAR - 4,
      class: stop.at === at ? "bar here" : "bar",
    });
    const anchor = middle < WIDE / 3 ? "start" : middle > (2 * WIDE) / 3 ? "end" : "middle";
    const place = { start: x(stop.starts) + 4, end: x(stop.starts + stop.lasts) - 4, middle }[anchor];
    const name = draw("text", { x: place, y: row * BAR + 13, "text-anchor": anchor }, stop.action);
    const until = `${stop.action}: ${clock(stop.starts)} to ${clock(stop.starts + stop.lasts)}`;
    const group = draw("g", {}, draw("title", {}, until), bar, name);
    group.addEventListener("click", () => go(stop.at));
    return group;
  });
  const high = timed.length * BAR;
  const label = `${count(timed.length, "action")}, done at ${clock(end)}`;
  const chart = { viewBox: `0 0 ${WIDE} ${high}`, class: "times", role: "img", "aria-label": label };
  return [make("p", { class: "soft" }, `The last action ends at ${clock(end)}.`), draw("svg", chart, ...bars)];
}
