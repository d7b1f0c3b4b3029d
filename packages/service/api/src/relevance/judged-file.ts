/** A search and the grades of documents in it. */
export interface JudgedSearch {
  readonly index: string;
  /** The name of the attribute that tells its documents apart. */
  readonly primaryKey: string;
  /** The parameters of the search. */
  readonly search: Readonly<Record<string, unknown>>;
  /** By id of a document, from 0, of no use, upwards. Documents that are absent count as 0. */
  readonly grades: Readonly<Record<string, number>>;
}
/** What people judged, as it is kept in a file. */
export interface JudgedFile {
  /** The number of hits that count. */
  readonly k: number;
  /** The mean below which a run of the file fails; null: it never does. */
  readonly atLeast: number | null;
  readonly searches: readonly JudgedSearch[];
}

const DEFAULT_K = 10;
const [MAX_K, MAX_GRADE] = [1_000, 100];

/** Reads a file of judged searches. @throws Error that names the place */
export function parseJudged(text: string): JudgedFile {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new Error(`the file is no JSON: ${(error as Error).message}`);
  }
  if (!isObject(given)) throw new Error('the file is no object with `searches`');
  checkNames(given, ['k', 'atLeast', 'searches'], '');
  const { k = DEFAULT_K, atLeast = null, searches } = given;
  if (!isNumber(k, 1, MAX_K) || !Number.isInteger(k)) throw new Error(`\`k\` is no whole number from 1 to ${MAX_K}`);
  if (atLeast !== null && !isNumber(atLeast, 0, 1)) throw new Error('`atLeast` is no number from 0 to 1');
  if (!Array.isArray(searches)) throw new Error('`searches` is no array');
  return { k, atLeast, searches: searches.map((each, at) => parseSearch(each, `\`searches[${at}]`)) };
}

function parseSearch(given: unknown, place: string): JudgedSearch {
  if (!isObject(given)) throw new Error(`${place}\` is no object`);
  checkNames(given, ['index', 'primaryKey', 'search', 'grades'], `${place.slice(1)}.`);
  const { index, primaryKey = 'id', search, grades } = given;
  if (typeof index !== 'string' || index === '') throw new Error(`${place}.index\` is no name of an index`);
  if (typeof primaryKey !== 'string') throw new Error(`${place}.primaryKey\` is no name of an attribute`);
  if (!isObject(search)) throw new Error(`${place}.search\` is no object of parameters`);
  if (!isObject(grades)) throw new Error(`${place}.grades\` is no object`);
  for (const [id, grade] of Object.entries(grades))
    if (!isNumber(grade, 0, MAX_GRADE)) throw new Error(`${place}.grades.${id}\` is no number from 0 to ${MAX_GRADE}`);
  return { index, primaryKey, search, grades: grades as Readonly<Record<string, number>> };
}

/** Throws for another name: with `atleast` no run would ever fail. */
function checkNames(given: object, names: readonly string[], place: string): void {
  for (const name of Object.keys(given))
    if (!names.includes(name)) throw new Error(`\`${place}${name}\` is none of ${names.join(', ')}`);
}

/**
 * The normalized discounted cumulative gain of an order of hits, from 0 to 1: gains of 2^grade - 1 that weigh less with each rank, in proportion to the best
 * possible order. Null where no document is of use, so that no order is better than another. O(grades * log(grades))
 */
export function ndcg(ids: readonly string[], grades: Readonly<Record<string, number>>, k: number): number | null {
  const gain = (sorted: readonly number[]): number =>
    sorted.slice(0, k).reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0);
  const best = gain(Object.values(grades).sort((left, right) => right - left));
  // an id that comes twice is of no further use
  const known = new Map(Object.entries(grades));
  const found = [...new Set(ids)].map((id) => known.get(id) ?? 0);
  return best === 0 ? null : gain(found) / best;
}

/** The mean of those that there are; null where there is none. */
export function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
function isNumber(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && value >= least && value <= most;
}
