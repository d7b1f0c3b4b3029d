import { apiError, MAX_DOCUMENT_ID_BYTES, own } from '@fossick/base';
import { visitValuesAt } from './fields/values-at.js';
import type { JsonObject } from './json/json-object.js';
import { toJsonText } from './json/lossless-number.js';

const ID_TEXT = /^[A-Za-z0-9_-]+$/;

/**
 * The primary key of an index that has none, from its first document: the only top-level field whose lower-cased name
 * ends with `id`. Throws ApiError when there is none or more than one.
 */
export function inferPrimaryKey(document: JsonObject): string {
  const candidates = Object.keys(document).filter((name) => name.toLowerCase().endsWith('id'));
  const only = candidates[0];
  if (only === undefined) {
    throw apiError('index_primary_key_no_candidate_found');
  }
  if (candidates.length > 1) {
    throw apiError('index_primary_key_multiple_candidates_found', candidates);
  }
  return only;
}

/** The external id of a document as text. Throws ApiError missing_document_id or invalid_document_id. */
export function externalIdOf(document: JsonObject, primaryKey: string): string {
  const direct = own(document, primaryKey);
  if (direct !== undefined && Object.hasOwn(document, primaryKey)) return checkedId(direct, primaryKey);
  const found: unknown[] = [];
  if (primaryKey.includes('.')) visitValuesAt(document, primaryKey, (value) => collectValues(value, found));
  if (found.length === 0) {
    throw apiError('missing_document_id', primaryKey, excerpt(document));
  }
  if (found.length > 1) {
    throw apiError('invalid_document_id', 'severalValues', primaryKey);
  }
  return checkedId(found[0], primaryKey);
}

/**
 * The text of a value that is a valid external id: an integer, or a string of the allowed characters; else undefined.
 */
export function idText(value: unknown): string | undefined {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number' && Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 64)
    return String(value);
  return typeof value === 'string' && value.length <= MAX_DOCUMENT_ID_BYTES && ID_TEXT.test(value) ? value : undefined;
}

function checkedId(value: unknown, primaryKey: string): string {
  const id = idText(value);
  if (id !== undefined) return id;
  throw apiError('invalid_document_id', 'notValid', excerpt(value), primaryKey, MAX_DOCUMENT_ID_BYTES);
}

function collectValues(value: unknown, found: unknown[]): void {
  if (Array.isArray(value)) for (const item of value) collectValues(item, found);
  else found.push(value);
}

function excerpt(value: unknown): string {
  const text = toJsonText(value) ?? '';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
