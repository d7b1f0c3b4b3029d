import { type DocId, setOwn } from '@fossick/base';
/** Scores are computed from the ranks that the rules gave, so that they agree with the order. */
export type ScoreDetail =
  | { readonly kind: 'words'; readonly matchingWords: number; readonly maxMatchingWords: number }
  | { readonly kind: 'typo'; readonly typoCount: number; readonly maxTypoCount: number }
  | { readonly kind: 'proximity'; readonly rank: number; readonly max: number }
  | { readonly kind: 'field'; readonly rank: number; readonly max: number; readonly isUnified: boolean }
  | { readonly kind: 'position'; readonly rank: number; readonly max: number; readonly isUnified: boolean }
  | { readonly kind: 'exactAttribute'; readonly rank: 1 | 2 | 3 }
  | { readonly kind: 'exactWords'; readonly matchingWords: number; readonly maxMatchingWords: number }
  | { readonly kind: 'sort'; readonly key: string; readonly isHidden: boolean; readonly value: unknown }
  | { readonly kind: 'geoSort'; readonly key: string; readonly value: unknown; readonly distance: number | null }
  | ValueScore
  | { readonly kind: 'skipped' }
  /** Null for a document without a vector. */
  | { readonly kind: 'vector'; readonly similarity: number | null }
  /** Set by a search rule; it is not a rank. */
  | { readonly kind: 'pin'; readonly position: number }
  | ScaleDetail;

/** What search rules multiply the score of a document by. */
export interface ScaleDetail {
  readonly kind: 'scale';
  readonly weight: number;
  /** The rules that do it; empty until the page of hits is known. */
  readonly rules: readonly string[];
}

/** A score that is computed from values. Bucket 1 is the best; null without buckets, and for documents without a score. */
export interface ValueScore {
  readonly kind: 'valueScore';
  readonly key: string;
  readonly isHidden: boolean;
  /** The score of a document of the bucket, null without one; once ranked, a document has its `value`. */
  readonly ofDocument: ((docId: DocId) => number | null) | null;
  readonly value: number | null;
  readonly bucket: number | null;
  readonly bucketCount: number | null;
}

type Rank = readonly [rank: number, max: number];

/** The rank of a detail within its rule; null for rules that order by value. */
function rankOf(detail: ScoreDetail): Rank | null {
  switch (detail.kind) {
    case 'words':
      return [detail.matchingWords, detail.maxMatchingWords];
    case 'typo':
      return [detail.maxTypoCount + 1 - detail.typoCount, detail.maxTypoCount + 1];
    case 'proximity':
    case 'field':
    case 'position':
      return [detail.rank, detail.max];
    case 'exactAttribute':
      return [detail.rank, 3];
    case 'exactWords':
      return [detail.matchingWords + 1, detail.maxMatchingWords + 1];
    case 'skipped':
      return [0, 1];
    case 'sort':
    case 'geoSort':
    case 'valueScore':
    case 'vector':
    case 'pin':
    case 'scale':
      return null;
  }
}

/** Whether the detail counts in the global score; other details order by a value, or are pins. */
export function isRanked(detail: ScoreDetail): boolean {
  return rankOf(detail) !== null;
}

function combine(ranks: readonly Rank[]): number {
  let rank = 1;
  let max = 1;
  for (const [r, m] of ranks) {
    rank = Math.max(0, rank - 1) * m + r;
    max *= m;
  }
  return rank / max;
}

/** The score of the ranks, 0..1; 1 when no rule gave a rank. A similarity is the score, whatever other details there are. */
export function globalScore(details: readonly ScoreDetail[]): number {
  for (const detail of details) if (detail.kind === 'vector') return detail.similarity ?? 0;
  return combine(details.map(rankOf).filter((rank) => rank !== null));
}

/** The weight that search rules give; 1 without one. */
export function scaleOf(details: readonly ScoreDetail[]): number {
  for (const detail of details) if (detail.kind === 'scale') return detail.weight;
  return 1;
}

/** `_rankingScore`, 0..1: the score of the ranks, multiplied by the weight of search rules. */
export function shownScore(details: readonly ScoreDetail[]): number {
  return Math.min(1, globalScore(details) * scaleOf(details));
}

/** The lowest score that a document with these details can reach once the remaining rules have added their ranks. */
export function leastScore(details: readonly ScoreDetail[]): number {
  return globalScore([...details, { kind: 'skipped' }]);
}

function typoJson(order: number, detail: Extract<ScoreDetail, { kind: 'typo' }>): object {
  const { typoCount, maxTypoCount } = detail;
  return { order, typoCount, maxTypoCount, score: combine([rankOf(detail)!]) };
}

/** The fields' part of the rule `attribute`; that of positions is added to it. */
function fieldJson(order: number, score: number): object {
  return { order, attributeRankingOrderScore: score, queryWordDistanceScore: 0, score };
}

function valueScoreJson(order: number, { isHidden, value, bucket, bucketCount }: ValueScore): object {
  if (isHidden) return { order, value: '<hidden>' };
  return bucketCount === null ? { order, value } : { order, value, bucket, buckets: bucketCount };
}

/** The details of a document, with its own values where those of its bucket differ. */
export function detailsOf(docId: DocId, details: readonly ScoreDetail[]): readonly ScoreDetail[] {
  return details.map((detail) =>
    detail.kind === 'valueScore' && detail.ofDocument !== null
      ? { ...detail, value: detail.ofDocument(docId), ofDocument: null }
      : detail,
  );
}

/** `_rankingScoreDetails`: an object keyed by rule, in rule order. */
export function scoreDetailsJson(details: readonly ScoreDetail[]): Record<string, unknown> {
  const json: Record<string, unknown> = {};
  let order = 0;
  details.forEach((detail, index) => {
    const previous = details[index - 1];
    switch (detail.kind) {
      case 'words': {
        const { matchingWords, maxMatchingWords } = detail;
        json.words = { order: order++, matchingWords, maxMatchingWords, score: matchingWords / maxMatchingWords };
        break;
      }
      case 'typo':
        json.typo = typoJson(order++, detail);
        break;
      case 'proximity':
        json.proximity = { order: order++, score: detail.rank / detail.max };
        break;
      case 'field':
        if (detail.isUnified) json.attribute = fieldJson(order++, detail.rank / detail.max);
        else json.attributeRank = { order: order++, score: detail.rank / detail.max };
        break;
      case 'position':
        if (detail.isUnified && previous?.kind === 'field')
          Object.assign(json.attribute as object, {
            queryWordDistanceScore: detail.rank / detail.max,
            score: combine([rankOf(previous)!, rankOf(detail)!]),
          });
        else json.wordPosition = { order: order++, score: detail.rank / detail.max };
        break;
      case 'exactAttribute': {
        const matchType = detail.rank === 3 ? 'exactMatch' : detail.rank === 2 ? 'matchesStart' : 'noExactMatch';
        json.exactness = { order: order++, matchType, score: detail.rank / 3 };
        break;
      }
      case 'exactWords': {
        const exactness = json.exactness as { order: number; matchType: string } | undefined;
        if (previous?.kind !== 'exactAttribute' || exactness?.matchType !== 'noExactMatch') break;
        const { matchingWords, maxMatchingWords } = detail;
        const { order: position, matchType } = exactness;
        const score = combine([rankOf(previous)!, rankOf(detail)!]);
        json.exactness = { order: position, matchType, matchingWords, maxMatchingWords, score };
        break;
      }
      case 'sort':
        setOwn(json, detail.isHidden ? `<hidden-rule-${order}>` : detail.key, {
          order: order++,
          value: detail.isHidden ? '<hidden>' : detail.value,
        });
        break;
      case 'geoSort':
        setOwn(json, detail.key, { order: order++, value: detail.value, distance: detail.distance });
        break;
      case 'valueScore':
        setOwn(json, detail.isHidden ? `<hidden-rule-${order}>` : detail.key, valueScoreJson(order++, detail));
        break;
      case 'vector':
        json.vectorSort = { order: order++, similarity: detail.similarity };
        break;
      case 'skipped':
        json.skipped = { order: order++ };
        break;
      case 'pin':
        json.pin = { order: order++, position: detail.position };
        break;
      default:
        json.scale = { rules: detail.rules, weight: detail.weight };
    }
  });
  return json;
}
