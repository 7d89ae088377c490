// The trace: an index that is always there, details that are read when they are wanted, and what holds at each stop.

const index = JSON.parse(document.getElementById("index").textContent);
const lines = document.getElementById("details").textContent.trim().split("\n");
const stops = index.stops;
const last = stops.length - 1;

const parsed = new Map(); // stop → its details, of the few that were looked at last
function details(stop) {
  if (!parsed.has(stop)) {
    if (parsed.size > 200) parsed.clear();
    parsed.set(stop, JSON.parse(lines[stop]));
  }
  return parsed.get(stop);
}

// A fact such as "(on apple_1 table_1)", apart.
const factParts = new Map();
function parts(fact) {
  if (!factParts.has(fact)) factParts.set(fact, fact.replace(/^\(|\)$/g, "").split(" "));
  return factParts.get(fact);
}

// What is known to be true at a stop: a set of numbers of facts. One in EVERY is kept.
const EVERY = 100;
const kept = new Map();
let lately = { stop: -1, facts: null };
function change(facts, stop) {
  for (const fact of stop.gone) facts.delete(fact);
  for (const fact of stop.now) facts.add(fact);
  if (index.known === null) for (const fact of stop.seen) facts.add(fact);
}
function factsAt(stop) {
  if (lately.stop === stop) return lately.facts;
  let from = stop - (stop % EVERY);
  while (from > 0 && !kept.has(from)) from -= EVERY;
  let facts = new Set(kept.get(from) ?? index.known ?? []);
  if (from <= 0) change(facts, stops[(from = 0)]);
  for (let at = from + 1; at <= stop; at++) {
    change(facts, stops[at]);
    if (at % EVERY === 0) kept.set(at, new Set(facts));
  }
  lately = { stop, facts };
  return facts;
}

// Thing → the stops from which on something else is believed of it.
const revised = index.things.map(() => []);
stops.forEach((stop, at) => stop.things.forEach((thing) => revised[thing].push(at)));
function latest(numbers, stop) {
  let low = 0,
    high = numbers.length; // the last of growing numbers that is at most stop
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= stop) low = middle + 1;
    else high = middle;
  }
  return numbers[low - 1];
}
// What is believed of each thing at a stop: {id, of, says, places: [[fact, probability], …], true: [facts]}.
function beliefAt(stop) {
  const found = [];
  for (const [thing, at] of revised.map((numbers, thing) => [thing, latest(numbers, stop)])) {
    const told =
      at === undefined ? undefined : details(at).belief.find((entry) => String(entry.id) === index.things[thing]);
    if (told && told.places.length) found.push(told);
  }
  return found;
}

// The last stop, not after this one, at which a new decision was made.
const decisions = stops.flatMap((stop, at) => (stop.kind === "step" && !stop.planned ? [at] : []));
const decidedAt = (stop) => latest(decisions, stop);

// How a thing is called: its words, and its number where others with a number are called the same.
const spoken = new Map();
const entries = Object.entries(index.called);
for (const [name, words] of entries) if (/\d$/.test(name)) spoken.set(words, (spoken.get(words) ?? 0) + 1);
const called = (name) => (Object.hasOwn(index.called, name) ? calledOf(name, index.called[name]) : name);
function calledOf(name, words) {
  const number = /\d+$/.exec(name);
  return number && spoken.get(words) > 1 && !words.endsWith(number[0]) ? `${words} ${number[0]}` : words;
}
// An action in words; with its names, where the domain has no words for it.
const wordless = entries.length > 0 && entries.every(([name, words]) => name === words);
const letters = (text) => text.toLowerCase().replace(/[\s()_-]+/g, "");
const sayAction = (action, says) =>
  wordless && action && letters(says ?? action) === letters(action) ? parts(action).join(" ") : says || action;
// The lexicon's sentence with these words; as in wording/verbalise.py, "the" and "a" leave before a number.
const sentences = new Map(Object.entries(index.sentences));
const sentence = (fact) => sentences.get(parts(fact)[0].toLowerCase());
function filled(template, words) {
  return template.replace(/(?:\b(a|the) )?\{(\d+)\}/gi, (whole, article, i) => {
    const word = words[i] ?? whole;
    if (!article || /\d$/.test(word)) return word;
    return `${article}${/^a$/i.test(article) && /^[aeiou]/i.test(word) ? "n" : ""} ${word}`;
  });
}
// What a fact says of its subject, the names in of: "inside fridge", "in bakery aisle".
function sayRelation(fact, of) {
  const [predicate, ...names] = parts(fact),
    template = sentence(fact);
  const slots = (text) => [...text.matchAll(/\{(\d+)\}/g)].map((match) => names[match[1]]);
  if (template) {
    const [, head, rest] = /^(.*?) is (.*)$/.exec(template) ?? /^(.*?\})(.*)$/.exec(template) ?? [];
    if (rest && slots(head).every((name) => of.includes(name)) && !slots(rest).some((name) => of.includes(name)))
      return slots(head).length ? filled(rest.trim().replace(/\b(an?|the) \{/gi, "{"), names.map(called)) : sayFact(fact);
    return sayFact(fact);
  }
  return [predicate, ...names.filter((name) => !of.includes(name)).map(called)].join(" ");
}
// A fact by its sentence; without one, of two things with its predicate between them: "apple on table".
function sayFact(fact) {
  const [predicate, ...names] = parts(fact);
  if (sentence(fact)) return filled(sentence(fact), names.map(called));
  const [first, ...others] = names.map(called);
  return others.length === 1 ? `${first} ${predicate} ${others[0]}` : [predicate, ...names.map(called)].join(" ");
}
