/** What identifies a document: a number stands for its digits. */
export type DocumentId = string | number;

/** A filter: an expression, or expressions that all have to hold, lists among them of which one has to. */
export type Filter = string | readonly (string | readonly string[])[];

/** Which documents to read, without searching. */
export interface DocumentsQuery<T extends object> {
  readonly offset?: number | undefined;
  /** 20 when absent. */
  readonly limit?: number | undefined;
  readonly fields?: readonly FieldName<T>[] | undefined;
  readonly ids?: readonly DocumentId[] | undefined;
  readonly filter?: Filter | undefined;
  /** `name:asc` or `name:desc`. */
  readonly sort?: readonly string[] | undefined;
  readonly retrieveVectors?: boolean | undefined;
}
export interface DocumentsPage<T extends object> {
  readonly results: readonly T[];
  readonly offset: number;
  readonly limit: number;
  /** Of all documents that match. */
  readonly total: number;
}

/** A member of the documents, `*` for all, or the path of a member of members. */
export type FieldName<T extends object> = (keyof T & string) | '*' | `${string}.${string}`;

/** Members that are given: what is undefined says nothing. */
export function given(parameters: object | undefined): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parameters ?? {}).filter(([, value]) => value !== undefined));
}
