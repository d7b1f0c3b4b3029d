#!/usr/bin/env node
/**
 * Makes data/movies-sample.ndjson from the full movie set (see data/README.md):
 *
 *   node tools/data/make-movies-sample.mjs PATH/movies.ndjson.gz
 *
 * Keeps films most people know (by title), then fills up with records that have every field, spread evenly over the
 * years. No randomness: the same input gives the same sample.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const SAMPLE_COUNT = 2000;
const OVERVIEW_MIN_CHARS = 160;
const FOOTNOTE_MARK = /\[(?:\d+|[a-z]|note \d+)\]/g;
const WELL_KNOWN = new RegExp(
  [
    'star wars|^the empire strikes back$|^return of the jedi$|^star trek|^batman|^superman|^spider-man|^the matrix',
    '^jurassic|^the godfather|^back to the future|^indiana jones|^raiders of the lost ark$|^alien|^terminator',
    '^the terminator$|^the lord of the rings|^harry potter|^toy story|^shrek|^finding nemo$|^the lion king$|^titanic$',
    '^casablanca$|^citizen kane$|^psycho$|^vertigo$|^jaws|^rocky|^pulp fiction$|^fight club$|^forrest gump$',
    '^inception$|^interstellar$|^gladiator$|^the avengers$|^avengers|^iron man|^avatar|^the dark knight|^blade runner',
    '^apollo 13$|^ghostbusters|^mission: impossible|^pirates of the caribbean|^2001: a space odyssey$|^gravity$',
  ].join('|'),
  'i',
);

const source = process.argv[2];
if (source === undefined) {
  console.error('usage: node tools/data/make-movies-sample.mjs PATH/movies.ndjson.gz');
  process.exit(2);
}
const lines = gunzipSync(readFileSync(source)).toString('utf8').trim().split('\n');
const films = lines.map((line) => withoutFootnotes(JSON.parse(line))).filter(isComplete);
const wellKnown = films.filter((film) => WELL_KNOWN.test(film.title));
/** A word "star" elsewhere would tie with Star Wars in the README's first search, where the typed `wrs` matches nothing. */
const others = films.filter((film) => !WELL_KNOWN.test(film.title) && !/\bstar\b/i.test(film.title));
const step = others.length / (SAMPLE_COUNT - wellKnown.length);
const filler = Array.from({ length: SAMPLE_COUNT - wellKnown.length }, (_, at) => others[Math.floor(at * step)]);
const sample = [...wellKnown, ...filler].sort((left, right) => left.id - right.id);
const target = new URL('../../data/movies-sample.ndjson', import.meta.url);
writeFileSync(target, `${sample.map((film) => JSON.stringify(film)).join('\n')}\n`);
console.log(`${sample.length} films, ${wellKnown.length} of them by title`);

/** A film without the marks of Wikipedia's footnotes, such as `[1]` behind a title. */
function withoutFootnotes(film) {
  const clean = (text) => text?.replaceAll(FOOTNOTE_MARK, '');
  return { ...film, title: clean(film.title), overview: clean(film.overview) };
}

function isComplete(film) {
  return (
    film.cast.length > 0 &&
    film.genres.length > 0 &&
    film.poster !== undefined &&
    (film.overview ?? '').length >= OVERVIEW_MIN_CHARS
  );
}
