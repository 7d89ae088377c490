// The map: what is within what, by the predicates that the trace names for that. Wholes (rooms) are cards, what stands in
// them are tiles, what lies there are chips. Where the trace names none, the places are a list: those of the belief.

const listed = Object.keys(index.map).length === 0;
const within = new Set(index.map.within ?? []);
const places = new Set();
// Where a fact says that a thing is: of its objects, the last that is not the thing itself.
const placeOf = (thing, fact) => parts(fact).slice(1).findLast((name) => !thing.of.split(" ").includes(name));
if (listed)
  for (const thing of revised.flatMap((at) => (at.length ? details(at[0]).belief : [])))
    for (const [fact] of thing.places) {
      if (parts(fact).length === 3 && parts(fact)[1] === thing.of) within.add(parts(fact)[0]);
      if (placeOf(thing, fact)) places.add(placeOf(thing, fact));
    }
const agentIs = new Set(index.map.agent ?? []);
const held = new Set(index.map.held ?? []);
const numbered = (predicates) => index.facts.flatMap((fact, i) => (predicates.has(parts(fact)[0]) ? [i] : []));
const locations = numbered(within).filter((i) => parts(index.facts[i]).length === 3);
const isLocation = new Set(locations);
const isAgent = new Set(numbered(agentIs));

const MOST_TILES = 24; // of a whole; where there would be more, only containers are tiles

// Containers, and which of them are permanently in which other one, over everything ever known.
const inside = new Map();
{
  const told = new Set(index.known ?? []);
  for (const stop of stops)
    for (const fact of [...stop.now, ...(index.known === null ? stop.seen : [])]) told.add(fact);
  for (const i of locations) {
    const [, what, where] = parts(index.facts[i]);
    places.add(where);
    if (told.has(i)) inside.set(what, [...(inside.get(what) ?? []), where]);
  }
}
const moving = new Set(
  stops
    .flatMap((stop) => stop.gone)
    .filter((i) => isLocation.has(i))
    .map((i) => parts(index.facts[i])[1]),
);
const standing = [...inside.keys()].filter((name) => !moving.has(name) && inside.get(name).length === 1);
const isWhole = (name) => places.has(name) && !inside.has(name);
const pieces = new Map(); // whole → its pieces; "" → those that stand in none
for (const name of places) if (isWhole(name)) pieces.set(name, []);
for (const name of standing) pieces.get(inside.get(name)[0])?.push(name);
for (const [whole, names] of pieces) {
  const containers = names.filter((name) => places.has(name));
  if (!containers.length || names.length > MOST_TILES) pieces.set(whole, containers);
}
const tiled = new Set([...pieces.values()].flat());
const wholes = [...pieces.keys()].filter((name) => pieces.get(name).length > 0);
pieces.set(
  "",
  [...pieces.keys()].filter((name) => name && pieces.get(name).length === 0),
);
const hasMap = places.size > 0;

// Facts about one thing alone that change, such as that it is open: they stand on its tile.
const changing = new Set(stops.flatMap((stop) => [...stop.now, ...stop.gone]).map((i) => parts(index.facts[i])[0]));
const states = new Map(); // name → numbers of facts
index.facts.forEach((fact, i) => {
  const [predicate, name, ...more] = parts(fact);
  if (name && !more.length && changing.has(predicate) && !agentIs.has(predicate) && !held.has(predicate))
    states.set(name, [...(states.get(name) ?? []), i]);
});

// Where the agent is after each stop: the name of a tile, or of a whole.
const anchors = [];
{
  const here = new Set((index.known ?? []).filter((i) => isAgent.has(i)));
  stops.forEach((stop, at) => {
    for (const fact of stop.gone) here.delete(fact);
    for (const fact of stop.now) if (isAgent.has(fact)) here.add(fact);
    const names = [...here].reverse().flatMap((fact) => parts(index.facts[fact]).slice(1));
    const name = names.find((n) => tiled.has(n)) ?? names.find((n) => places.has(n));
    anchors.push(name ?? anchors[at - 1] ?? null);
  });
}

let shown = "all"; // the thing whose belief is shaded, or the predicate of such facts
const isShown = (thing) => shown === "all" || shadeOf(thing) === shown;
const shadeOf = (thing) => (isObject(thing) ? String(thing.id) : predicateOf(thing));
const sayShade = (thing) =>
  isObject(thing) ? thingName(thing) : filled(sentences.get(shadeOf(thing).toLowerCase()) ?? shadeOf(thing), ["…", "…"]);
let withTruth = false;
const TRAIL = 12; // moves that are drawn
const MOST_CHIPS = 8;

const placeIn = (names, fact) =>
  parts(fact)
    .slice(1)
    .findLast((name) => !names.includes(name) && places.has(name));

// What is believed of the things that are looked for: place → probability that one of them is there.
function shading(things) {
  const open = things.filter((thing) => !isSettled(thing) && isShown(thing));
  const nothing = new Map();
  for (const thing of open) {
    const names = thing.of.split(" ");
    const there = new Map();
    for (const [fact, p] of thing.places) {
      const place = placeIn(names, fact);
      if (place) there.set(place, (there.get(place) ?? 0) + p);
    }
    for (const [place, p] of there) nothing.set(place, (nothing.get(place) ?? 1) * (1 - Math.min(1, p)));
  }
  return new Map([...nothing].map(([place, p]) => [place, 1 - p]));
}

function truths(things) {
  const found = new Map();
  for (const thing of things)
    if (!isSettled(thing) && isShown(thing))
      for (const fact of thing.true ?? []) {
        const names = thing.of.split(" ");
        const place = placeIn(names, fact);
        if (place) found.set(place, [...(found.get(place) ?? []), called(names[0])]);
      }
  return found;
}

function drawMap(at) {
  if (!hasMap) return null;
  const facts = factsAt(at),
    fresh = new Set(at > 0 ? stops[at].now : []),
    things = beliefAt(at);
  const contents = new Map(); // place → names of what is there now
  const arrived = new Set();
  for (const i of facts) {
    if (!isLocation.has(i)) continue;
    const [, what, where] = parts(index.facts[i]);
    contents.set(where, [...(contents.get(where) ?? []), what]);
    if (fresh.has(i)) arrived.add(what);
  }
  const kinds = shades(things.filter((thing) => !isSettled(thing)));
  if (kinds.size < 2) shown = "all";
  else if (!kinds.has(shown)) shown = [...kinds.keys()][0];
  const chances = shading(things),
    real = withTruth ? truths(things) : new Map();
  const wanted = new Set(things.flatMap((thing) => thing.of.split(" ")));
  const carried = [...facts]
    .map((i) => parts(index.facts[i]))
    .filter(([p]) => held.has(p))
    .map((p) => p[1]);
  const here = anchors[at];
  const nested = (name) => {
    const more = (contents.get(name) ?? []).filter((other) => !tiled.has(other));
    return called(name) + (more.length ? ` (${more.map(called).join(", ")})` : "");
  };
  const innermost = new Map(); // thing → where it is drawn: of several places, a room and a table there, the table
  for (const [place, whats] of contents)
    for (const what of whats)
      if (!innermost.has(what) || pieces.get(innermost.get(what))?.length) innermost.set(what, place);
  const chips = (name) => {
    const all = (contents.get(name) ?? []).filter((what) => innermost.get(what) === name && !tiled.has(what));
    all.sort((a, b) => wanted.has(b) - wanted.has(a) || arrived.has(b) - arrived.has(a));
    if (!all.length) return null;
    const list = all
      .slice(0, MOST_CHIPS)
      .map((what) =>
        make(
          "li",
          { class: `chip${wanted.has(what) ? " wanted" : ""}${arrived.has(what) ? " fresh" : ""}`, title: what },
          nested(what),
        ),
      );
    if (all.length > MOST_CHIPS)
      list.push(
        make(
          "li",
          { class: "chip more", title: all.slice(MOST_CHIPS).map(called).join(", ") },
          `+${all.length - MOST_CHIPS}`,
        ),
      );
    return make("ul", { class: "chips" }, ...list);
  };
  const marks = (name) => {
    const p = chances.get(name) ?? 0;
    const said = (states.get(name) ?? [])
      .filter((i) => facts.has(i))
      .map((i) => (sentence(index.facts[i]) ? sayFact(index.facts[i]) : parts(index.facts[i])[0]));
    return [
      p >= 0.005 ? make("span", { class: "chance", title: "how likely what is looked for is here" }, percent(p)) : null,
      ...said.map((state) => make("span", { class: "state" }, state)),
      ...(real.get(name) ?? []).map((thing) =>
        make("span", { class: "real", title: "where it really is" }, `◎ ${thing}`),
      ),
      name === here ? make("span", { class: "agent" }, "agent") : null,
    ].filter((mark) => mark);
  };
  const tile = (name) =>
    make(
      "li",
      {
        class: `tile${name === here ? " here" : ""}`,
        "data-place": name,
        title: name,
        vars: { "--p": chances.get(name) ?? 0 },
      },
      make("div", { class: "label" }, make("span", { class: "name" }, called(name)), ...marks(name)),
      chips(name),
    );
  const sum = (names) => names.reduce((p, name) => p + (chances.get(name) ?? 0), 0);
  const card = (name) =>
    make(
      "section",
      {
        class: `room${name === here ? " here" : ""}${name ? "" : " nameless"}`,
        "data-place": name,
        "aria-label": name ? called(name) : "places",
      },
      name
        ? make(
            "h3",
            {},
            make("span", { class: "name" }, called(name)),
            name === here ? make("span", { class: "agent" }, "agent") : null,
            sum(pieces.get(name)) >= 0.005 && shown !== "all"
              ? make("span", { class: "soft" }, percent(Math.min(1, sum(pieces.get(name)))))
              : null,
          )
        : null,
      chips(name),
      make("ul", { class: "tiles" }, ...pieces.get(name).map(tile)),
    );
  const rooms = [...wholes, ...(pieces.get("").length ? [""] : [])].map(card);
  const house = make("div", { class: "house" }, ...rooms, draw("svg", { class: "trail", "aria-hidden": "true" }));
  return [mapLegend(things, carried), house];
}

// What may be shaded: of things, each or any; of facts, those of a predicate.
function shades(open) {
  const any = open.length > 1 && open.every(isObject) ? [["all", "any of them"]] : [];
  return new Map([...any, ...open.map((thing) => [shadeOf(thing), sayShade(thing)])]);
}

function mapLegend(things, carried) {
  const open = things.filter((thing) => !isSettled(thing));
  const all = open.every(isObject); // and no facts
  const choices = [...shades(open)];
  const pick =
    choices.length > 1
      ? make(
          "label",
          {},
          all ? "shaded: where " : "shaded: ",
          make(
            "select",
            {
              "aria-label": "What the shading shows",
              on: {
                change: (e) => {
                  shown = e.target.value;
                  render();
                },
              },
            },
            ...choices.map(([id, says]) => make("option", { value: id, selected: id === shown }, says)),
          ),
          all ? " may be" : null,
        )
      : open.length
        ? make("span", {}, `shaded: ${all ? `where the ${thingName(open[0])} may be` : sayShade(open[0])}`)
        : null;
  const scale = open.length
    ? make(
        "span",
        { class: "scale", "aria-label": "from impossible to certain" },
        "0 %",
        ...[0, 0.1, 0.3, 0.6, 1].map((p) => make("i", { vars: { "--p": p } })),
        "100 %",
      )
    : null;
  const truth = open.some((thing) => thing.true?.length)
    ? make(
        "label",
        {},
        make("input", {
          type: "checkbox",
          checked: withTruth,
          on: {
            change: (e) => {
              withTruth = e.target.checked;
              render();
            },
          },
        }),
        " where it really is",
      )
    : null;
  const holds = held.size
    ? make("span", {}, "carries ", make("b", {}, carried.length ? carried.map(called).join(", ") : "nothing"))
    : null;
  const agent = agentIs.size
    ? make("span", {}, make("span", { class: "agent" }, "agent"), " is here; the line is its way")
    : null;
  return make("p", { class: "legend" }, ...[pick, scale, truth, holds, agent].filter((part) => part));
}

// The last moves as a line from place to place; drawn when the places have theirs.
function drawTrail(at) {
  const house = byId("map").querySelector(".house");
  if (!house) return;
  const trail = house.querySelector(".trail"),
    box = house.getBoundingClientRect();
  trail.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
  const stations = [];
  for (let i = at; i >= 0 && stations.length <= TRAIL; i--)
    if (anchors[i] && anchors[i] !== stations[0]) stations.unshift(anchors[i]);
  const points = stations.map((name) => {
    const spot = [...house.querySelectorAll("[data-place]")].find((element) => element.dataset.place === name);
    if (!spot) return null;
    const target = (spot.matches(".room") ? (spot.querySelector("h3") ?? spot) : spot).getBoundingClientRect();
    return [target.right - 14 - box.left, target.top + 15 - box.top];
  });
  const lines = [];
  for (let i = 1; i < points.length; i++) {
    if (!points[i] || !points[i - 1]) continue;
    const [[x1, y1], [x2, y2]] = [points[i - 1], points[i]];
    const bend = Math.min(40, Math.hypot(x2 - x1, y2 - y1) / 5);
    const path = `M${x1} ${y1}Q${(x1 + x2) / 2 + (y1 < y2 ? bend : -bend)} ${(y1 + y2) / 2 - bend} ${x2} ${y2}`;
    lines.push(draw("path", { d: path, opacity: Math.max(0.15, (i / (points.length - 1)) ** 2).toFixed(2) }));
    if (i === points.length - 1) lines.push(draw("circle", { cx: x2, cy: y2, r: 5 }));
  }
  if (points.length === 1 && points[0]) lines.push(draw("circle", { cx: points[0][0], cy: points[0][1], r: 5 }));
  trail.replaceChildren(...lines);
}
