/** Queries of `compare-engines`, made from the titles of films by a seed, and how their answers are judged. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { round, scatter } from '../results.mjs';

/** A misspelt film counts as found if it is among this many hits. */
const FOUND_AMONG = 5;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Documents with the fields that all engines get. */
export function filmsOf({ data, documents }) {
  const bytes = readFileSync(data);
  const text = (data.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').trimEnd();
  const films = text.split('\n').map((line) => JSON.parse(line));
  return films
    .slice(0, documents ?? films.length)
    .map(({ id, title, overview }) => ({ id, title, overview: overview ?? '' }));
}

/** Queries by kind. `typo`: a whole title with one letter of its longest word changed, and the films that have this title. */
export function chooseQueries(films, { queries, seed }) {
  const random = randomOf(seed);
  const byTitle =
    Map.groupBy === undefined ? groupByTitle(films) : Map.groupBy(films, ({ title }) => title.toLowerCase());
  const titles = [...byTitle.keys()].filter(
    (title) => /^[a-z]+( [a-z]+)+$/.test(title) && longestOf(title).length >= 6,
  );
  const pick = () => titles[Math.floor(random() * titles.length)];
  const kinds = { words: [], prefix: [], typo: [] };
  for (let at = 0; at < Math.min(queries, titles.length); at++) {
    kinds.words.push({ q: pick().split(' ').slice(0, 2).join(' ') });
    kinds.prefix.push({ q: longestOf(pick()).slice(0, 3) });
    const title = pick();
    kinds.typo.push({ q: misspelt(title, random), ids: byTitle.get(title).map(({ id }) => id) });
  }
  return kinds;
}

/** Warm-up queries of all kinds before measuring, within this part of the limit. */
const WARM_QUERIES = 60;
const WARM_SHARE = 0.3;

/**
 * Runs the queries kind by kind, after a warm-up, and calls `onStep` with each finished kind: milliseconds, the number
 * of queries within the limit (the others are left out), typos found.
 *
 * @param limitMs for one kind; the query running at that time is awaited
 */
export async function scoreOf(search, kinds, { limitMs, onStep }) {
  const searchMs = {};
  const asked = {};
  let typo = 0;
  const warmUntil = performance.now() + limitMs * WARM_SHARE;
  for (const { q } of inTurn(Object.values(kinds)).slice(0, WARM_QUERIES))
    if (performance.now() < warmUntil) await search(q);
  for (const [kind, queries] of Object.entries(kinds)) {
    const times = [];
    const endMs = performance.now() + limitMs;
    for (const { q, ids } of queries) {
      if (times.length > 0 && performance.now() > endMs) break;
      let found = [];
      times.push(
        await timed(async () => {
          found = await search(q);
        }),
      );
      if (ids !== undefined && found.slice(0, FOUND_AMONG).some((id) => ids.includes(id))) typo += 1;
    }
    searchMs[kind] = scatter(times);
    asked[kind] = times.length;
    onStep?.({ step: kind, asked: times.length, of: queries.length, ...searchMs[kind] });
  }
  return { searchMs, asked, found: { typo, asked: asked.typo } };
}

/** The first of each list, then the second of each, and so on. */
function inTurn(lists) {
  return lists[0].flatMap((_, at) => lists.map((list) => list[at]).filter((item) => item !== undefined));
}

export async function timed(work) {
  const startedMs = performance.now();
  await work();
  return round(performance.now() - startedMs, 2);
}

function groupByTitle(films) {
  const groups = new Map();
  for (const film of films)
    groups.set(film.title.toLowerCase(), [...(groups.get(film.title.toLowerCase()) ?? []), film]);
  return groups;
}
function longestOf(title) {
  return title.split(' ').reduce((longest, word) => (word.length > longest.length ? word : longest), '');
}
/** A letter after the first is replaced by another, as in a typing mistake. */
function misspelt(title, random) {
  const word = longestOf(title);
  const at = 1 + Math.floor(random() * (word.length - 1));
  const others = LETTERS.replace(word[at], '');
  const wrong = word.slice(0, at) + others[Math.floor(random() * others.length)] + word.slice(at + 1);
  return title.replace(word, wrong);
}
/** Numbers from 0 to 1 determined by a seed (mulberry32, by Tommy Ettinger; public domain). */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
