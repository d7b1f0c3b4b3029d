import {
  type ExactNumber,
  exactIn,
  floatOf,
  isJsonObject,
  JsonText,
  orderedEntries,
  withDigits,
} from '@fossick/documents';

/**
 * Answers in the form of JSON: scores, distances and statistics are floats (`1.0`), and facet values are in their order, which a plain
 * object loses for names that look like integers. Programs that embed the engine get plain numbers and objects; this is for text.
 */

type Members = Readonly<Record<string, unknown>>;

/** Members of one rule's details that are integers; every other number is a float. */
const COUNTS = new Set([
  'order',
  'matchingWords',
  'maxMatchingWords',
  'typoCount',
  'maxTypoCount',
  'position',
  'bucket',
  'buckets',
]);
/** Names that an object moves to the front. */
const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,9})$/;

/** The members of an answer to a search of one index or several. O(hits + facet values) */
export function losslessAnswer(plain: object): Members {
  const answer = plain as Members;
  const lossless: Record<string, unknown> = { ...answer };
  if (Array.isArray(answer.hits)) lossless.hits = answer.hits.map((hit: Members) => losslessHit(hit));
  if (Array.isArray(answer.groups)) lossless.groups = answer.groups.map(losslessGroup);
  if (isJsonObject(answer.facetDistribution)) lossless.facetDistribution = losslessFacets(answer.facetDistribution);
  if (isJsonObject(answer.facetStats)) lossless.facetStats = losslessFloats(answer.facetStats);
  if (isJsonObject(answer.facetsByIndex)) {
    const byIndex = Object.entries(answer.facetsByIndex as Readonly<Record<string, Members>>);
    lossless.facetsByIndex = Object.fromEntries(
      byIndex.map(([uid, { distribution, stats }]) => [
        uid,
        { distribution: losslessFacets(distribution as Members), stats: losslessFloats(stats as Members) },
      ]),
    );
  }
  return lossless;
}

/** A group whose hits are objects, or JSON texts already. */
const losslessGroup = (group: { readonly hits: readonly (Members | string)[] }): Members => ({
  ...group,
  hits: group.hits.map((hit) => (typeof hit === 'string' ? new JsonText(hit) : losslessHit(hit))),
});

/** A hit with the floats of its scores. O(members + rules) */
export function losslessHit(hit: Members): Members {
  const { _rankingScore: score, _rankingScoreDetails: details, _federation: federation } = hit;
  if (score === undefined && details === undefined && federation === undefined) return hit;
  const lossless: Record<string, unknown> = { ...hit };
  if (typeof score === 'number') lossless._rankingScore = floatOf(score);
  if (isJsonObject(details)) lossless._rankingScoreDetails = losslessDetails(details);
  if (isJsonObject(federation) && typeof federation.weightedRankingScore === 'number')
    lossless._federation = { ...federation, weightedRankingScore: floatOf(federation.weightedRankingScore) };
  return lossless;
}

function losslessDetails(details: Members): Members {
  return Object.fromEntries(
    Object.entries(details).map(([rule, detail]) => [
      rule,
      isJsonObject(detail)
        ? Object.fromEntries(
            Object.entries(detail).map(([name, value]) => [name, COUNTS.has(name) ? value : losslessFloats(value)]),
          )
        : detail,
    ]),
  );
}

/** A float, but an integer of 64 bits beyond 2^53 with all its digits. */
function shownFloat(number: ExactNumber): unknown {
  const shown = withDigits(number);
  return typeof shown === 'bigint' ? shown : floatOf(shown);
}

/** The value with every number in it as shownFloat. */
function losslessFloats(value: unknown): unknown {
  const number = exactIn(value);
  if (number !== undefined) return shownFloat(number);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, losslessFloats(member)]));
}

function losslessFacets(distribution: Members): Members {
  return Object.fromEntries(
    Object.entries(distribution).map(([field, counts]) => {
      const record = counts as Readonly<Record<string, number>>;
      const entries = orderedEntries(record);
      if (!entries.some(([text]) => WHOLE_NUMBER.test(text))) return [field, record];
      return [field, new JsonText(`{${entries.map(([text, count]) => `${JSON.stringify(text)}:${count}`).join(',')}}`)];
    }),
  );
}
