/** Converts the answer of another instance into a part of the merged list. */

import { isJsonObject } from '@fossick/api';
import type { EngineReader } from '@fossick/index';
import type { FacetCounts, FacetStats, FederatedHit, FederatedPart, IndexFacets, ScoreItem } from '@fossick/search';
import { distinctValues, facetValues } from '@fossick/search';
import { badResponse } from './remote-answer.js';

type Json = Readonly<Record<string, unknown>>;

/** Facet values shown for an index that only remotes have. */
const DEFAULT_MAX_VALUES = 100;

/** What was requested from a remote: its answer may contain nothing else. */
export interface RequestedPart {
  /** Positions of the queries. */
  readonly positions: ReadonlySet<number>;
  readonly uids: ReadonlySet<string>;
  readonly distinct: string | null;
  /** The most hits wanted. */
  readonly hitCount: number;
}

/**
 * Parses a federated answer of the remote `name`. Members that only instances need are removed from its hits, and
 * `remote` is added. Nothing is trusted: members of the wrong type, or not requested, are refused or left out.
 * @throws ApiError remote_bad_response, naming what is missing
 */
export function remotePart(
  engine: EngineReader,
  name: string,
  answer: unknown,
  requested: RequestedPart,
): FederatedPart {
  if (!isJsonObject(answer)) throw badResponse('The answer is no object.');
  const hits = answer.hits;
  if (!Array.isArray(hits)) throw badResponse('The answer is not a federated result: it has no `hits`.');
  const read = hits.slice(0, requested.hitCount).map((hit, i) => remoteHit(hit, `.hits[${i}]`, name, requested));
  const total = answer.estimatedTotalHits ?? answer.totalHits;
  if (!isCount(total)) throw badResponse('The answer is not a federated result: it does not count its hits.');
  const organic = read.filter(({ pinnedPosition }) => pinnedPosition === null);
  const pins = read.filter(({ pinnedPosition }) => pinnedPosition !== null);
  return {
    hits: organic,
    pins,
    total,
    facets: remoteFacets(engine, answer.facetsByIndex ?? {}, requested),
    isSemantic: typeof answer.semanticHitCount === 'number',
    queryVectors: answer.queryVectors === undefined ? null : remoteVectors(answer.queryVectors, requested),
  };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
/** JSON can express numbers that overflow to infinity. */
const isNumber = (value: unknown): value is number => Number.isFinite(value);

const isExact = (value: unknown): boolean => typeof value === 'bigint' || isNumber(value);

/** Vectors of queries by position; anything but a list of numbers is left out. */
function remoteVectors(given: unknown, { positions }: RequestedPart): ReadonlyMap<number, readonly number[]> {
  const vectors = Object.entries(isJsonObject(given) ? given : {}).flatMap(([embedder, vector]) => {
    const isVector = positions.has(Number(embedder)) && Array.isArray(vector) && vector.every(isNumber);
    return isVector ? [[Number(embedder), vector as readonly number[]] as const] : [];
  });
  return new Map(vectors);
}

function remoteHit(
  hit: unknown,
  path: string,
  name: string,
  { distinct, positions, uids }: RequestedPart,
): FederatedHit {
  if (!isJsonObject(hit)) throw badResponse(`\`${path}\` is no object.`);
  const mark = hit._federation;
  if (!isJsonObject(mark)) throw badResponse(`\`${path}._federation\` is missing.`);
  const { weightedScoreValues, extra_document, pinnedPosition } = mark;
  const { indexUid, queriesPosition, weightedRankingScore } = mark;
  const at = `${path}._federation`;
  if (typeof indexUid !== 'string') throw badResponse(`\`${at}.indexUid\` is missing.`);
  if (!uids.has(indexUid)) throw badResponse(`\`${at}.indexUid\` names an index that was not asked.`);
  if (typeof queriesPosition !== 'number') throw badResponse(`\`${at}.queriesPosition\` is missing.`);
  if (!positions.has(queriesPosition)) throw badResponse(`\`${at}.queriesPosition\` names a query that was not sent.`);
  if (!isNumber(weightedRankingScore)) throw badResponse(`\`${at}.weightedRankingScore\` is missing.`);
  if (!Array.isArray(weightedScoreValues))
    throw badResponse(
      `\`${at}.weightedScoreValues\` is missing: where attributes that are not displayed take part in sorting or \`distinct\`, the remote ` +
        'gives them only for the `searchApiKey` by which its own network object lists it.',
    );
  if (pinnedPosition !== undefined && pinnedPosition !== null && !isCount(pinnedPosition))
    throw badResponse(`\`${at}.pinnedPosition\` is no position.`);
  const document = { ...hit, ...(isJsonObject(extra_document) ? extra_document : {}) };
  const made = { ...hit, _federation: { indexUid, queriesPosition, weightedRankingScore, remote: name } };
  return {
    indexUid,
    queryPosition: queriesPosition,
    weightedScore: weightedRankingScore,
    items: weightedScoreValues.map((item, i) => scoreItem(item, `${at}.weightedScoreValues[${i}]`)),
    pinnedPosition: pinnedPosition ?? null,
    distinctValues: () => (distinct === null ? [] : distinctValues(document, distinct)),
    facetValues: (fields) => facetValues(document, fields),
    make: () => made,
  };
}

function scoreItem(item: unknown, path: string): ScoreItem {
  const { weightedScore, vectorSort, sort, geoSort } = isJsonObject(item) ? item : ({} as Json);
  if (isNumber(weightedScore)) return { kind: 'score', value: weightedScore };
  if (isNumber(vectorSort)) return { kind: 'vector', value: vectorSort };
  if (isJsonObject(sort)) return { kind: 'sort', isAscending: sort.asc === true, value: sort.value ?? null };
  if (isJsonObject(geoSort)) {
    const distance = isNumber(geoSort.distance) ? geoSort.distance : null;
    return { kind: 'geo', isAscending: geoSort.asc === true, distance };
  }
  throw badResponse(`\`${path}\` is no score.`);
}

/** Facets of the remote, later ordered and cut by the settings of the local index of that name. */
function remoteFacets(engine: EngineReader, given: unknown, { uids }: RequestedPart): ReadonlyMap<string, IndexFacets> {
  if (!isJsonObject(given)) throw badResponse('`.facetsByIndex` is no object.');
  const facets = Object.entries(given)
    .filter(([uid]) => uids.has(uid))
    .map(([uid, found]): [string, IndexFacets] => {
      const { distribution, stats } = isJsonObject(found) ? found : ({} as Json);
      if (!isFacetCounts(distribution) || !isFacetStats(stats))
        throw badResponse(`\`.facetsByIndex.${uid}\` lacks facets.`);
      const faceting = engine.index(uid) === undefined ? undefined : engine.settings(uid).faceting;
      const orders = new Map(Object.entries(faceting?.sortFacetValuesBy ?? {}));
      return [
        uid,
        {
          distribution,
          stats,
          isByCount: (field) => (orders.get(field) ?? orders.get('*') ?? 'alpha') !== 'alpha',
          maxValues: faceting?.maxValuesPerFacet ?? DEFAULT_MAX_VALUES,
        },
      ];
    });
  return new Map(facets);
}

function isFacetCounts(given: unknown): given is FacetCounts {
  if (!isJsonObject(given)) return false;
  return Object.values(given).every((counts) => isJsonObject(counts) && Object.values(counts).every(isCount));
}

function isFacetStats(given: unknown): given is FacetStats {
  if (!isJsonObject(given)) return false;
  return Object.values(given).every((stat) => isJsonObject(stat) && isExact(stat.min) && isExact(stat.max));
}
