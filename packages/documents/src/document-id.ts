import { ApiError, MAX_DOCUMENT_ID_BYTES, own } from '@fossick/base';
import { toJsonText } from './lossless-number.js';
import type { JsonObject } from './parse-document.js';
import { visitValuesAt } from './values-at.js';

const ID_TEXT = /^[A-Za-z0-9_-]+$/;

/**
 * The primary key of an index that has none, from its first document: the one top-level field whose lower-cased name
 * ends with `id`
 *. Throws ApiError when there is none or more than one.
 */
export function inferPrimaryKey(document: JsonObject): string {
  const candidates = Object.keys(document).filter((name) => name.toLowerCase().endsWith('id'));
  const only = candidates[0];
  if (only === undefined) {
    throw new ApiError(
      'index_primary_key_no_candidate_found',
      'The primary key could not be inferred: no field of the first document has a name that ends ' +
        'with `id`. Name it with `primaryKey`.',
    );
  }
  if (candidates.length > 1) {
    const names = candidates.map((name) => `\`${name}\``).join(', ');
    throw new ApiError(
      'index_primary_key_multiple_candidates_found',
      `The primary key could not be inferred: the fields ${names} of the first ` +
        'document all end with `id`. Name one with `primaryKey`.',
    );
  }
  return only;
}

/**
 * The external id of a document as text. Throws ApiError missing_document_id or
 * invalid_document_id.
 */
export function externalIdOf(document: JsonObject, primaryKey: string): string {
  const direct = own(document, primaryKey);
  if (direct !== undefined && Object.hasOwn(document, primaryKey)) return checkedId(direct, primaryKey);
  const found: unknown[] = [];
  if (primaryKey.includes('.')) visitValuesAt(document, primaryKey, (value) => collectValues(value, found));
  if (found.length === 0) {
    throw new ApiError(
      'missing_document_id',
      `A document has no field \`${primaryKey}\`, which is the primary key: \`${excerpt(document)}\`.`,
    );
  }
  if (found.length > 1) {
    throw new ApiError(
      'invalid_document_id',
      `A document has several values at its primary key \`${primaryKey}\`; one is allowed.`,
    );
  }
  return checkedId(found[0], primaryKey);
}

/** The text of a value that can be an external id: an integer, or a string of the letters allowed; else undefined. */
export function idText(value: unknown): string | undefined {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number' && Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 64)
    return String(value);
  return typeof value === 'string' && value.length <= MAX_DOCUMENT_ID_BYTES && ID_TEXT.test(value) ? value : undefined;
}

function checkedId(value: unknown, primaryKey: string): string {
  const id = idText(value);
  if (id !== undefined) return id;
  throw new ApiError(
    'invalid_document_id',
    `The document identifier \`${excerpt(value)}\` (field \`${primaryKey}\`) is invalid: it must be an integer, or a ` +
      `string of 1 to ${MAX_DOCUMENT_ID_BYTES} bytes made of a-z A-Z 0-9, - and _.`,
  );
}

function collectValues(value: unknown, found: unknown[]): void {
  if (Array.isArray(value)) for (const item of value) collectValues(item, found);
  else found.push(value);
}

function excerpt(value: unknown): string {
  const text = toJsonText(value) ?? '';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
