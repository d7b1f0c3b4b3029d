import { inOrder, memberEntries, setOwn } from '@fossick/base';
import { withDigits } from '@fossick/documents';
import type { ScoreItem } from '../ranked/score-items.js';
import type { SearchHit } from '../request/search-response.js';
import type { FederatedHit, FederationMarks } from './request.js';

/** Members of a hit that follow the document's own. */
const DECORATIONS = new Set(['_formatted', '_matchesPosition', '_rankingScore', '_rankingScoreDetails']);

/**
 * The hit with `_federation` as the last member of its document part. For another instance that merges further it also
 * has the score items and the values of the document that merging needs (section 5).
 */
export function markedHit(
  hit: SearchHit,
  { indexUid, queryPosition, weightedScore, items, pinnedPosition }: Omit<FederatedHit, 'make'>,
  { remote, isProxied }: FederationMarks,
  extraDocument: () => Readonly<Record<string, unknown>>,
): SearchHit {
  const mark: Record<string, unknown> = {
    indexUid,
    queriesPosition: queryPosition,
    weightedRankingScore: weightedScore,
  };
  if (remote !== undefined) mark.remote = remote;
  if (isProxied) {
    mark.weightedScoreValues = items.map(itemToWire);
    mark.extra_document = extraDocument();
    if (pinnedPosition !== null) mark.pinnedPosition = pinnedPosition;
  }
  const marked: SearchHit = {};
  const names = new Set<string>();
  const set = (name: string, value: unknown): void => {
    names.add(name);
    setOwn(marked, name, value);
  };
  for (const [name, value] of memberEntries(hit)) {
    if (DECORATIONS.has(name) && marked._federation === undefined) set('_federation', mark);
    set(name, value);
  }
  set('_federation', mark);
  return inOrder(marked, [...names]);
}

/** A score item in the form that instances exchange. */
export function itemToWire(item: ScoreItem): object {
  switch (item.kind) {
    case 'score':
      return { weightedScore: item.value };
    case 'vector':
      return { vectorSort: item.value };
    case 'sort':
      return {
        sort: { asc: item.isAscending, value: typeof item.value === 'number' ? withDigits(item.value) : item.value },
      };
    case 'geo':
      return { geoSort: { asc: item.isAscending, distance: item.distance } };
  }
}
