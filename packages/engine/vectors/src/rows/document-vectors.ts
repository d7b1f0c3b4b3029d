import { type ApiError, apiError, own, setOwn, withMembers } from '@fossick/base';
import {
  floatText,
  foreignVectors,
  isJsonObject,
  type JsonObject,
  JsonText,
  numberIn,
} from '@fossick/documents/stored';
import { DEFAULT_MODELS, FOUND_DIMENSIONS, type IndexSettings, OPENAI_MODELS } from '@fossick/settings/indexing';

const VECTORS_PER_EMBEDDER_MAX = 256;

/** The rules of one configured embedder for vectors in documents. */
export interface EmbedderRule {
  /** Null when it is unknown before the first call of the embedder. */
  readonly dimCount: number | null;
  /** Every document must have vectors or null, because no embedder makes them. */
  readonly isUserProvided: boolean;
  readonly isQuantized: boolean;
}
export type VectorRules = ReadonlyMap<string, EmbedderRule>;

/** The stored form of one embedder's value in `_vectors`. */
export interface StoredVectors {
  readonly embeddings: readonly (readonly number[])[];
  readonly regenerate: boolean;
}

export function vectorRulesOf(settings: Pick<IndexSettings, 'embedders'>): VectorRules {
  const rules = new Map<string, EmbedderRule>();
  for (const [name, value] of Object.entries(settings.embedders)) {
    const { source, dimensions, model, binaryQuantized, [FOUND_DIMENSIONS]: found } = value as JsonObject;
    const isOpenAi = source === undefined || source === null || source === 'openAi';
    const modelDims = isOpenAi ? own(OPENAI_MODELS, String(model ?? DEFAULT_MODELS.openAi))?.dimCount : undefined;
    rules.set(name, {
      dimCount: typeof dimensions === 'number' ? dimensions : typeof found === 'number' ? found : (modelDims ?? null),
      isUserProvided: source === 'userProvided',
      isQuantized: binaryQuantized === true,
    });
  }
  return rules;
}

/** Embedders whose vectors are compared by signs only. */
export function quantizedNames(settings: Pick<IndexSettings, 'embedders'>): ReadonlySet<string> {
  return new Set([...vectorRulesOf(settings)].filter(([, { isQuantized }]) => isQuantized).map(([name]) => name));
}

/** `_vectors` of a document after an update: merged embedder by embedder. */
export function mergeVectors(before: unknown, after: unknown): unknown {
  if (after === undefined || after === null) return before;
  return isJsonObject(before) && isJsonObject(after) ? withMembers(before, after) : after;
}

/**
 * A replaced document with the stored version's vectors of those `userProvided` embedders that it does not mention,
 * because nothing else could make them again. `before` is read only when an entry is missing. O(embedders).
 */
export function keepVectors(document: JsonObject, rules: VectorRules, before: () => JsonObject): JsonObject {
  const given = document['_vectors'] ?? {};
  if (!isJsonObject(given)) return document;
  const missing = [...rules].filter(([name, rule]) => rule.isUserProvided && !Object.hasOwn(given, name));
  if (missing.length === 0) return document;
  const stored = before()['_vectors'];
  if (!isJsonObject(stored)) return document;
  const kept = missing.map(([name]) => name).filter((name) => Object.hasOwn(stored, name));
  if (kept.length === 0) return document;
  const vectors: JsonObject = { ...given };
  for (const name of kept) setOwn(vectors, name, own(stored, name));
  return { ...document, _vectors: vectors };
}

/** What `checkVectors` accepts of a document that the index has stored before. */
export interface VectorsCheck {
  /** An earlier version had no vectors of a `userProvided` embedder, so it may have none. */
  readonly mayLack: boolean;
  /**
   * Whether the vectors under a name must have the embedder's size: stored ones keep theirs when the embedder gets
   * other dimensions. Called only for a wrong size.
   */
  readonly isNew: (name: string) => boolean;
  /**
   * Whether this very write brings the vectors under a name: earlier releases stored numbers beyond single precision,
   * and an update of other fields may keep them. Called only for such a number; by default as `isNew`.
   */
  readonly isGiven?: (name: string) => boolean;
}

/**
 * The document with the vectors of every configured embedder in their stored form. Throws ApiError
 * invalid_vectors_type, too_many_vectors, invalid_vector_dimensions and vector_embedding_error. O(numbers).
 */
export function checkVectors(
  document: JsonObject,
  rules: VectorRules,
  externalId: string,
  { mayLack, isNew, isGiven = isNew }: VectorsCheck,
): JsonObject {
  if (rules.size === 0) return document;
  const given = document['_vectors'] ?? {};
  if (!isJsonObject(given)) throw wrongType(externalId, '_vectors', 'it must be an object or null');
  const checked: JsonObject = { ...given };
  for (const [name, rule] of rules) {
    if (Object.hasOwn(given, name)) {
      const stored = storedForm(own(given, name), externalId, `_vectors.${name}`);
      checkSizes(stored, rule, externalId, name, isNew);
      checkRange(stored, externalId, name, isGiven);
      setOwn(checked, name, stored);
    } else if (rule.isUserProvided && !mayLack) {
      throw apiError('vector_embedding_error', 'noVectors', externalId, name);
    }
  }
  return Object.keys(checked).length === 0 ? document : { ...document, _vectors: checked };
}

/** The document without generated vectors of embedders with these names; the user's stay. */
export function withoutGenerated(document: JsonObject, names: ReadonlySet<string>): JsonObject {
  const vectors = document['_vectors'];
  if (names.size === 0 || !isJsonObject(vectors)) return document;
  const isMade = ([name, value]: [string, unknown]): boolean =>
    names.has(name) && isJsonObject(value) && value['regenerate'] === true;
  const givenEntries = Object.entries(vectors).filter((entry) => !isMade(entry));
  if (givenEntries.length === Object.keys(vectors).length) return document;
  const { _vectors: _all, ...others } = document;
  return givenEntries.length === 0 ? others : { ...document, _vectors: Object.fromEntries(givenEntries) };
}

/** The number of embeddings of configured embedders in a stored document. */
export function countEmbeddings(document: JsonObject, rules: VectorRules): number {
  const vectors = document['_vectors'];
  if (rules.size === 0 || !isJsonObject(vectors)) return 0;
  let count = 0;
  for (const name of rules.keys()) count += embeddingsOf(own(vectors, name))?.length ?? 0;
  return count;
}

/** Every name of a document's `_vectors` whose value is vectors of single precision, in any form of any release. O(numbers). */
export function* givenVectors(vectors: unknown): Iterable<readonly [string, readonly (readonly number[])[]]> {
  if (!isJsonObject(vectors)) return;
  for (const [name, value] of Object.entries(vectors)) {
    const embeddings = embeddingsOf(value);
    const vectors = embeddings?.filter((vector) => vector.every(isSingle)) ?? [];
    if (vectors.length > 0) yield [name, vectors];
  }
}

/**
 * The document as `retrieveVectors` shows it: each embedder's vectors as they are searched, in single precision or as
 * bits; names without an embedder as they were given.
 */
export function shownVectors(document: JsonObject, settings: Pick<IndexSettings, 'embedders'>): JsonObject {
  const vectors = document['_vectors'];
  if (!isJsonObject(vectors)) return {};
  const rules = vectorRulesOf(settings);
  const shown: JsonObject = foreignVectors(document, settings) ?? {};
  for (const [name, rule] of rules) {
    const value = own(vectors, name);
    const embeddings = embeddingsOf(value);
    if (embeddings === undefined) {
      if (value !== undefined) setOwn(shown, name, value);
      continue;
    }
    const searched = embeddings.map((vector) => vector.map(rule.isQuantized ? bitOf : single));
    setOwn(shown, name, {
      embeddings: withFloats(searched),
      regenerate: isJsonObject(value) && value['regenerate'] === true,
    });
  }
  return shown;
}

/** Vectors as JSON prints them: whole numbers as `1.0`. Vectors without such numbers stay as they are. O(numbers). */
function withFloats(vectors: readonly (readonly number[])[]): unknown {
  if (vectors.every((vector) => vector.every(isPlainFloat))) return vectors;
  return new JsonText(`[${vectors.map((vector) => `[${vector.map(floatText).join(',')}]`).join(',')}]`);
}

/** Whether JavaScript prints a finite number as the API does. */
const isPlainFloat = (value: number): boolean => !Number.isInteger(value) && Math.abs(value) >= PLAIN_FROM;
/** Smaller fractions have an exponent in the API, in JavaScript only from 1e-7 on. */
const PLAIN_FROM = 1e-5;

function storedForm(value: unknown, externalId: string, path: string): StoredVectors {
  if (value === null) return { embeddings: [], regenerate: false };
  if (!isJsonObject(value)) return { embeddings: vectorList(value, externalId, path), regenerate: false };
  const extra = Object.keys(value).find((key) => key !== 'regenerate' && key !== 'embeddings');
  if (extra !== undefined)
    throw wrongType(externalId, `${path}.${extra}`, 'only `regenerate` and `embeddings` are known here');
  const { regenerate, embeddings } = value;
  if (typeof regenerate !== 'boolean') throw wrongType(externalId, `${path}.regenerate`, 'it must be a boolean');
  const isAbsent = embeddings === undefined || embeddings === null;
  return { embeddings: isAbsent ? [] : vectorList(embeddings, externalId, `${path}.embeddings`), regenerate };
}

function vectorList(value: unknown, externalId: string, path: string): number[][] {
  if (!Array.isArray(value)) throw wrongType(externalId, path, 'it must be null, a vector or an array of vectors');
  if (value.length === 0) return [];
  return Array.isArray(value[0])
    ? value.map((vector, at) => numberList(vector, externalId, `${path}[${at}]`))
    : [numberList(value, externalId, path)];
}

function numberList(value: unknown, externalId: string, path: string): number[] {
  if (!Array.isArray(value)) throw wrongType(externalId, path, 'it must be an array of numbers');
  return value.map((item: unknown, at) => {
    const number = numberIn(item);
    if (number === undefined) throw wrongType(externalId, `${path}[${at}]`, 'it must be a number');
    return single(number);
  });
}

function checkSizes(
  { embeddings }: StoredVectors,
  rule: EmbedderRule,
  externalId: string,
  name: string,
  isNew: VectorsCheck['isNew'],
): void {
  if (embeddings.length > VECTORS_PER_EMBEDDER_MAX)
    throw apiError('too_many_vectors', externalId, embeddings.length, name, VECTORS_PER_EMBEDDER_MAX);
  const wrong = embeddings.find((vector) => rule.dimCount !== null && vector.length !== rule.dimCount);
  if (wrong !== undefined && isNew(name))
    throw apiError('invalid_vector_dimensions', 'ofDocument', externalId, wrong.length, name, rule.dimCount);
}

/** A number beyond single precision would be infinite there, and no distance to it could be told. */
function checkRange(
  { embeddings }: StoredVectors,
  externalId: string,
  name: string,
  isGiven: VectorsCheck['isNew'],
): void {
  for (const [at, vector] of embeddings.entries()) {
    const dim = vector.findIndex((number) => !isSingle(number));
    if (dim < 0) continue;
    if (!isGiven(name)) return;
    const fault = `the number ${vector[dim]} is beyond single precision, which ends at ±3.4e38`;
    throw wrongType(externalId, `_vectors.${name}, vector ${at}, number ${dim}`, fault);
  }
}

/** Whether a number is finite in single precision. */
const isSingle = (number: number): boolean => Number.isFinite(Math.fround(number));
/** Single precision is searched and shown; a number beyond it, which earlier releases took, stays as it is. */
const single = (number: number): number => (isSingle(number) ? Math.fround(number) : number);

/** Vectors in any form of any release, or undefined when the value is none. */
function embeddingsOf(value: unknown): readonly (readonly number[])[] | undefined {
  try {
    return value === undefined ? undefined : storedForm(value, '', '').embeddings;
  } catch {
    return undefined;
  }
}

/** The number in single precision, as its shortest decimal: 0.1 stays 0.1. */
export function singlePrecision(value: number): number {
  const single = Math.fround(value);
  if (single === value || !Number.isFinite(single)) return single;
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(single.toPrecision(digits));
    if (Math.fround(short) === single) return short;
  }
  return Number(single.toPrecision(9));
}

function bitOf(value: number): number {
  return value > 0 ? 1 : 0;
}

/** Whether a document brings vectors under a name that its stored version does not have. O(numbers of the name). */
export function isNewEntry(given: unknown, before: unknown, name: string): boolean {
  if (!isJsonObject(given) || !Object.hasOwn(given, name)) return false;
  if (!isJsonObject(before) || !Object.hasOwn(before, name)) return true;
  return JSON.stringify(own(given, name)) !== JSON.stringify(own(before, name));
}

/** Whether a value is an object, as `_vectors` and its members are. */
export function isVectorMap(value: unknown): value is JsonObject {
  return isJsonObject(value);
}

function wrongType(externalId: string, path: string, fault: string): ApiError {
  return apiError('invalid_vectors_type', path, externalId, fault);
}
