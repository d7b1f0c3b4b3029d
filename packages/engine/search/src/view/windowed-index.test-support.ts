/** An index that is large enough for windows, and searches that read them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addition } from '@fossick/documents/addition.test-support';
import { type IndexView, openEngineReader } from '@fossick/index';
import { openEngineWriter } from '@fossick/index/writer';
import type { SearchRequest } from '@fossick/settings/parameters';
import { DEFAULT_REQUEST } from '../scratch-index.test-support.js';
import { search } from '../search.js';

export const INDEX = 'windows';
/** Documents before them: small indexes have no windows. */
const SMALL_COUNT = 65_536;
const WORDS = 'the film was directed by theo and thea in there ration radio rat filmed bare ba re late lake'.split(' ');
const REQUEST: SearchRequest = { ...DEFAULT_REQUEST, showRankingScoreDetails: true };

/** Documents of words with numbers after them, the less frequent the greater, so that short beginnings have hundreds of words. */
export function documentsOf(count: number): readonly { readonly id: number; readonly title: string }[] {
  let state = 11;
  const random = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return Math.floor(((state >>> 8) / 2 ** 24) * below);
  };
  const word = (): string => {
    const base = WORDS[random(1 + random(WORDS.length))]!;
    return random(2) === 0 ? base : base + 'abcdefghij'[random(10)]! + 'klmnopqrst'[random(10)]!;
  };
  const text = (count: number): string => Array.from({ length: count }, word).join(' ');
  return Array.from({ length: count }, (_, id) => ({
    id,
    title: text(1 + random(4)),
    overview: text(3 + random(25)),
    year: 1990 + random(30),
  }));
}

/** Documents that have no words. */
export function emptyDocuments(count: number, from = 0): readonly object[] {
  return Array.from({ length: count }, (_, at) => ({ id: `small-${from + at}` }));
}

/** Makes the index, with documents that have no words. */
export async function createIndex(rootFolder: string): Promise<void> {
  const writer = openEngineWriter({ rootFolder, maxSearchBytes: 64 << 20 });
  writer.createIndex(INDEX, 'id');
  await writer.applySettings(
    INDEX,
    [{ searchableAttributes: ['title', 'overview'], filterableAttributes: ['year'], sortableAttributes: ['year'] }],
    context,
  );
  await writer.close();
  await write(rootFolder, [emptyDocuments(SMALL_COUNT)]);
}

const context = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 1 << 28 };

/** Adds documents, a segment for each batch, and then merges as tiers ask for if `isMerged`. */
export async function write(
  rootFolder: string,
  batches: readonly (readonly object[])[],
  isMerged = false,
): Promise<void> {
  const writer = openEngineWriter({ rootFolder, maxSearchBytes: 64 << 20 });
  const payloadFile = join(rootFolder, 'documents.ndjson');
  for (const batch of batches) {
    writeFileSync(payloadFile, batch.map((document) => JSON.stringify(document)).join('\n'));
    await writer.applyDocuments(INDEX, [addition(payloadFile)], context);
  }
  while (isMerged && (await writer.mergeOnce(INDEX)));
  await writer.close();
}

const QUERIES: readonly Partial<SearchRequest>[] = [
  ...['t', 'th', 'the', 'film', 'ra', 'ratio', 'bare', 'lake', 'filmed', 'thf', 'directd', 'thefilm', 'filmfilm'].map(
    (q) => ({ q }),
  ),
  ...['direc', 'direct', 'directe', 'filme', 'ration', 'the ratio', 'radio direct'].map((q) => ({ q })), // beyond four bytes
  ...['the film', 'film th', 'rat radio', 'the film was dir', 'ba re', '"the film"', 'in the', 'radio -film'].map(
    (q) => ({ q }),
  ),
  ...['"the film the"', '"film the film the"', '"the film was" radio', '"the the film" -late'].map((q) => ({ q })),
  { q: '"the film the"', attributesToSearchOn: ['title'] },
  ...['last', 'all', 'frequency'].map((matchingStrategy) => ({ q: 'late film th', matchingStrategy }) as never),
  { q: 'th', filter: 'year = 1995' },
  { q: 'the fi', filter: 'year > 2018', offset: 100 },
  { q: 'film', sort: ['year:desc'] },
  { q: 'th', attributesToSearchOn: ['title'] },
  { q: 'rat', offset: 500, limit: 100 },
];

/** What searches find, within so much memory; `watch` sees the view of each before it. */
export function answers(
  rootFolder: string,
  maxSearchBytes = 64 << 20,
  queries: readonly Partial<SearchRequest>[] = QUERIES,
  watch: (view: IndexView) => void = () => undefined,
): { readonly hits: readonly unknown[]; readonly count: number | null }[] {
  const reader = openEngineReader({ rootFolder, maxSearchBytes });
  try {
    return queries.map((request) =>
      reader.withView(INDEX, (view) => {
        watch(view);
        const patient = Object.create(view, { settings: { value: { ...view.settings, searchCutoffMs: 60_000 } } });
        const answer = search(patient, { ...REQUEST, ...request });
        return { hits: answer.hits, count: 'estimatedTotalHits' in answer ? answer.estimatedTotalHits : null };
      }),
    );
  } finally {
    void reader.close();
  }
}
