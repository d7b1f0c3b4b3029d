import type { GivenFetch } from '@fossick/api';

/** Identifies a document: a number stands for its digits. */
export type DocumentId = string | number | bigint;

/**
 * A filter: an expression, or a list of expressions that must all hold, in which an inner list holds when one of its
 * expressions does.
 */
export type Filter = string | readonly (string | readonly string[])[];

/** An attribute with its direction: `year:desc`, `_geoPoint(48.85, 2.35):asc`. */
export type SortCriterion = `${string}:${'asc' | 'desc'}`;

/** Which documents to read, without searching. */
export interface DocumentsQuery<T extends object>
  extends Omit<GivenFetch, 'fields' | 'ids' | 'filter' | 'sort' | 'useNetwork'> {
  readonly fields?: readonly FieldName<T>[] | undefined;
  readonly ids?: readonly DocumentId[] | undefined;
  readonly filter?: Filter | undefined;
  /** Attributes to sort by, with their direction. */
  readonly sort?: readonly SortCriterion[] | undefined;
}
export interface DocumentsPage<T extends object> {
  readonly results: readonly T[];
  readonly offset: number;
  readonly limit: number;
  /** Number of all matching documents. */
  readonly total: number;
}

/** A field of the documents, `*` for all, or the path of a nested one. */
export type FieldName<T extends object> = (keyof T & string) | '*' | `${string}.${string}`;
