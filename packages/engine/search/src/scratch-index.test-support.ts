/** An index in a temporary folder, for tests that search. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addition } from '@fossick/documents/addition.test-support';
import { type CachedResult, type IndexView, NO_ACCESS, openEngineReader, QueryResultCache } from '@fossick/index';
import { openEngineWriter } from '@fossick/index/writer';
import type { IndexSettings, SettingsPatch } from '@fossick/settings';
import {
  DEFAULT_SEARCH as DEFAULT_REQUEST,
  type FacetSearchRequest,
  type SearchRequest,
  type SimilarRequest,
} from '@fossick/settings/parameters';
import { federatedSearch } from './federation/federated-search.js';
import type { FederatedAnswer } from './federation/request.js';
import type { FacetSearchResponse, SearchResponse } from './request/search-response.js';
import { StageClock } from './request/stage-clock.js';
import { facetSearch, type SearchExtras, search, searchBytes } from './search.js';
import { type SimilarResponse, similarDocuments } from './similar.js';

export { DEFAULT_REQUEST };

export interface ScratchIndex {
  /** Runs `work` on a view of the index. */
  inView<T>(work: (view: IndexView) => T): T;
  search(request: Partial<SearchRequest>): SearchResponse;
  /** The answer as JSON text, with one more member unless the caller passes another. */
  searchText(request: Partial<SearchRequest>, more?: () => object): string;
  /** The cached and found results of a search as text, with these extras. */
  keeping(request: Partial<SearchRequest>, extras: SearchExtras): { kept: number; found: number };
  /** Values of `id` of the hits, in order. */
  idsOf(request: Partial<SearchRequest>): unknown[];
  facetSearch(request: Pick<FacetSearchRequest, 'facetName'> & Partial<FacetSearchRequest>): FacetSearchResponse;
  /** By the embedder `e` unless it names another. */
  similar(request: Partial<SimilarRequest>): SimilarResponse;
  /** The queries as one federated search, each with weight 1. */
  federated(
    requests: readonly SearchRequest[],
    range?: { from: number; length: number },
    distinct?: string,
  ): FederatedAnswer;
  /** Adds or replaces documents in a batch of its own. */
  add(documents: readonly (object | string)[]): Promise<void>;
  change(patch: SettingsPatch): Promise<void>;
  /** Merges segments until there is nothing to merge. */
  merge(): Promise<void>;
  settings(): IndexSettings;
  close(): Promise<void>;
}

class CountedAnswers extends QueryResultCache {
  kept = 0;
  found = 0;
  override add(key: string, answer: CachedResult): void {
    this.kept += 1;
    super.add(key, answer);
  }
  override get(key: string): CachedResult | undefined {
    const known = super.get(key);
    if (known !== undefined) this.found += 1;
    return known;
  }
}

/** Opens an index of these documents: objects, or lines of JSON where the text of a number matters. The primary key is `id`. */
export async function openScratchIndex(
  documents: readonly (object | string)[],
  patch: SettingsPatch = {},
  maxSearchBytes = 32 << 20,
): Promise<ScratchIndex> {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-search-'));
  const options = { rootFolder: join(folder, 'data'), maxSearchBytes };
  const writer = openEngineWriter(options);
  const reader = openEngineReader(options);
  const context = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
  let fileCount = 0;
  const add = async (batch: readonly (object | string)[]): Promise<void> => {
    const payloadFile = join(folder, `${fileCount++}.ndjson`);
    writeFileSync(
      payloadFile,
      batch.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join('\n'),
    );
    await writer.applyDocuments('scratch', [addition(payloadFile)], context);
  };
  writer.createIndex('scratch', 'id');
  await writer.applySettings('scratch', [patch], context);
  if (documents.length > 0) await add(documents);
  const run = (request: Partial<SearchRequest>): SearchResponse =>
    reader.withView('scratch', (view) => search(view, { ...DEFAULT_REQUEST, ...request }));
  return {
    inView: (work) => reader.withView('scratch', work),
    search: run,
    searchText: (request, more = () => ({ more: true })) =>
      reader.withView('scratch', (view) => {
        const bytes = searchBytes(view, { ...DEFAULT_REQUEST, ...request }, {}, more);
        const text = bytes.toString();
        // a search thread gives the buffer away: what is cached of the answer has to be elsewhere
        structuredClone(null, { transfer: [bytes.buffer as ArrayBuffer] });
        return text;
      }),
    keeping: (request, extras) => {
      const answers = new CountedAnswers(1 << 20);
      for (const _ of [1, 2])
        reader.withView('scratch', (view) =>
          searchBytes({ ...view, queryResults: answers }, { ...DEFAULT_REQUEST, ...request }, extras, () => ({})),
        );
      return { kept: answers.kept, found: answers.found };
    },
    idsOf: (request) => run(request).hits.map((hit) => hit.id),
    facetSearch: (request) =>
      reader.withView('scratch', (view) =>
        facetSearch(view, { ...DEFAULT_REQUEST, facetQuery: null, exhaustiveFacetCount: false, ...request }),
      ),
    similar: (request) =>
      reader.withView('scratch', (view) =>
        similarDocuments(
          view,
          { ...DEFAULT_REQUEST, id: '', embedder: 'e', tenantFilter: null, ...request },
          new StageClock(),
        ),
      ),
    federated: (requests, range = { from: 0, length: 20 }, distinct) =>
      federatedSearch(reader, {
        queries: requests.map((request, position) => ({ indexUid: 'scratch', position, weight: 1, request })),
        range: { isPaged: false, ...range },
        facetsByIndex: new Map(),
        mergeFacets: null,
        distinct: distinct ?? null,
        ruleBook: null,
        hydrates: false,
        access: NO_ACCESS,
        marks: { remote: undefined, isProxied: false },
        clock: new StageClock(),
      }),
    add,
    change: (changed) => writer.applySettings('scratch', [changed], context),
    merge: async () => {
      while (await writer.mergeOnce('scratch'));
    },
    settings: () => reader.settings('scratch'),
    close: async () => {
      await reader.close();
      await writer.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
