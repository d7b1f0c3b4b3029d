export type SortDirection = 'asc' | 'desc';
/** One entry of `sort`. */
export type SortEntry =
  | { readonly kind: 'field'; readonly field: string; readonly direction: SortDirection }
  | { readonly kind: 'geo'; readonly lat: number; readonly lng: number; readonly direction: SortDirection };

/** A sort entry is malformed; the message says which one and what is accepted. */
export class SortError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SortError';
  }
}
