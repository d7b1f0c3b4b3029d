/** From the answer of another instance to a part of the merged list (spec 14 section 5). */
import type {
  EngineReader,
  FacetCounts,
  FacetStats,
  FederatedHit,
  FederatedPart,
  FederationRequest,
  IndexFacets,
  ScoreItem,
} from '@fossick/engine';
import { distinctValues, facetValues } from '@fossick/engine';
import { isJsonObject } from '../wire/fields.js';
import { badResponse } from './remote-client.js';

type Json = Readonly<Record<string, unknown>>;

/** Facet values shown of an index that only remotes have. */
const DEFAULT_MAX_VALUES = 100;

/**
 * Reads a federated answer of the remote `name`. What other instances alone need is taken out of its hits, and
 * `remote` goes in.
 * @throws ApiError remote_bad_response, naming what is missing
 */
export function remotePart(
  engine: EngineReader,
  name: string,
  answer: unknown,
  { distinct }: Pick<FederationRequest, 'distinct'>,
): FederatedPart {
  if (!isJsonObject(answer)) throw badResponse('The answer is no object.');
  const hits = answer.hits;
  if (!Array.isArray(hits)) throw badResponse('The answer is not a federated result: it has no `hits`.');
  const read = hits.map((hit, i) => remoteHit(hit, `.hits[${i}]`, name, distinct));
  const total = answer.estimatedTotalHits ?? answer.totalHits;
  if (typeof total !== 'number') throw badResponse('The answer is not a federated result: it does not count its hits.');
  const organic = read.filter(({ pinnedPosition }) => pinnedPosition === null);
  const pins = read.filter(({ pinnedPosition }) => pinnedPosition !== null);
  return {
    hits: organic,
    pins,
    total,
    facets: remoteFacets(engine, answer.facetsByIndex ?? {}),
    isSemantic: typeof answer.semanticHitCount === 'number',
    queryVectors: answer.queryVectors === undefined ? null : remoteVectors(answer.queryVectors),
  };
}

/** Vectors of queries by their place; what is no list of numbers is left out. */
function remoteVectors(given: unknown): ReadonlyMap<number, readonly number[]> {
  const vectors = Object.entries(isJsonObject(given) ? given : {}).flatMap(([place, vector]) => {
    const isVector = Array.isArray(vector) && vector.every((value): value is number => typeof value === 'number');
    return isVector ? [[Number(place), vector as readonly number[]] as const] : [];
  });
  return new Map(vectors);
}

function remoteHit(hit: unknown, path: string, name: string, distinct: string | null): FederatedHit {
  if (!isJsonObject(hit)) throw badResponse(`\`${path}\` is no object.`);
  const mark = hit._federation;
  if (!isJsonObject(mark)) throw badResponse(`\`${path}._federation\` is missing.`);
  const { weightedScoreValues, extra_document, pinnedPosition, ...shown } = mark;
  const { indexUid, queriesPosition, weightedRankingScore } = shown;
  const at = `${path}._federation`;
  if (typeof indexUid !== 'string') throw badResponse(`\`${at}.indexUid\` is missing.`);
  if (typeof queriesPosition !== 'number') throw badResponse(`\`${at}.queriesPosition\` is missing.`);
  if (typeof weightedRankingScore !== 'number') throw badResponse(`\`${at}.weightedRankingScore\` is missing.`);
  if (!Array.isArray(weightedScoreValues)) throw badResponse(`\`${at}.weightedScoreValues\` is missing.`);
  const document = { ...hit, ...(isJsonObject(extra_document) ? extra_document : {}) };
  const made = { ...hit, _federation: { ...shown, remote: name } };
  return {
    indexUid,
    queryPosition: queriesPosition,
    weightedScore: weightedRankingScore,
    items: weightedScoreValues.map((item, i) => scoreItem(item, `${at}.weightedScoreValues[${i}]`)),
    pinnedPosition: typeof pinnedPosition === 'number' ? pinnedPosition : null,
    distinctValues: () => (distinct === null ? [] : distinctValues(document, distinct)),
    facetValues: (fields) => facetValues(document, fields),
    make: () => made,
  };
}

function scoreItem(item: unknown, path: string): ScoreItem {
  const { weightedScore, vectorSort, sort, geoSort } = isJsonObject(item) ? item : ({} as Json);
  if (typeof weightedScore === 'number') return { kind: 'score', value: weightedScore };
  if (typeof vectorSort === 'number') return { kind: 'vector', value: vectorSort };
  if (isJsonObject(sort)) return { kind: 'sort', isAscending: sort.asc === true, value: sort.value ?? null };
  if (isJsonObject(geoSort)) {
    const distance = typeof geoSort.distance === 'number' ? geoSort.distance : null;
    return { kind: 'geo', isAscending: geoSort.asc === true, distance };
  }
  throw badResponse(`\`${path}\` is no score.`);
}

/** Facets of the remote, ordered and cut later by the settings of the local index of that name. */
function remoteFacets(engine: EngineReader, given: unknown): ReadonlyMap<string, IndexFacets> {
  if (!isJsonObject(given)) throw badResponse('`.facetsByIndex` is no object.');
  const facets = Object.entries(given).map(([uid, found]): [string, IndexFacets] => {
    const { distribution, stats } = isJsonObject(found) ? found : ({} as Json);
    if (!isJsonObject(distribution) || !isJsonObject(stats))
      throw badResponse(`\`.facetsByIndex.${uid}\` lacks facets.`);
    const faceting = engine.index(uid) === undefined ? undefined : engine.settings(uid).faceting;
    const orders = faceting?.sortFacetValuesBy ?? {};
    return [
      uid,
      {
        distribution: distribution as FacetCounts,
        stats: stats as FacetStats,
        isByCount: (field) => (orders[field] ?? orders['*']) === 'count',
        maxValues: faceting?.maxValuesPerFacet ?? DEFAULT_MAX_VALUES,
      },
    ];
  });
  return new Map(facets);
}
