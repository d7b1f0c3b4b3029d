import type { IndexView } from '@fossick/engine';

/** What a rehearsed search asks. */
export interface RehearsedBody {
  readonly q: string;
  readonly facets?: string[];
  readonly sort?: string[];
}

/** Documents that are looked at for a text. */
const TRIES_MAX = 8;
const WORDS = /[\p{L}\p{N}]+/gu;

/** One search of each kind that people type, in words of a document picked at random; none when the documents have no text. */
export function rehearsedBodies(view: IndexView): RehearsedBody[] {
  const words = someWords(view);
  if (words.length === 0) return [];
  const run = (count: number): string => {
    const from = Math.floor(Math.random() * Math.max(1, words.length - count));
    return words.slice(from, from + count).join(' ');
  };
  const long = words.find((word) => word.length > 5) ?? words[0]!;
  const { filterableAttributes, sortableAttributes } = view.settings;
  const facets = filterableAttributes.filter((each): each is string => typeof each === 'string').slice(0, 2);
  const sort = sortableAttributes.slice(0, 1).map((field) => `${field}:desc`);
  const texts = [run(1), long.slice(0, 2), long.slice(0, 4), typed(long), run(2), run(3), run(4), run(7), `"${run(2)}"`];
  const bodies: RehearsedBody[] = texts.map((q) => ({ q }));
  if (facets.length > 0) bodies.push({ q: run(1), facets }, { q: '', facets });
  if (sort.length > 0) bodies.push({ q: run(1), sort });
  return bodies;
}

/** The word with a letter forgotten. */
function typed(word: string): string {
  return word.slice(0, 2) + word.slice(3);
}

function someWords(view: IndexView): string[] {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const document = view.document(Math.floor(Math.random() * view.bitCount)) ?? {};
    const texts = Object.values(document).filter((value): value is string => typeof value === 'string');
    const longest = texts.reduce((best, text) => (text.length > best.length ? text : best), '');
    const words = longest.slice(0, 2_000).match(WORDS) ?? [];
    if (words.length > 1) return words;
  }
  return [];
}
