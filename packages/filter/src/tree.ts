/** A field name, value or argument. `start` and `end` are UTF-16 offsets of the fragment (without quotes) in the filter's text. */
export interface FilterValue {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}
export type CompareOperator = '=' | '!=' | '<' | '<=' | '>' | '>=';
export type GeoPair = readonly [lat: FilterValue, lng: FilterValue];
/** Last part of `_vectors.embedder.…`; null: any vector of the embedder. */
export type VectorPart = 'userProvided' | 'documentTemplate' | 'regenerate' | 'fragments' | null;

export type FilterNode =
  | { readonly kind: 'and' | 'or'; readonly items: readonly FilterNode[] }
  | { readonly kind: 'not'; readonly item: FilterNode }
  | {
      readonly kind: 'compare';
      readonly operator: CompareOperator;
      readonly field: FilterValue;
      readonly value: FilterValue;
    }
  | { readonly kind: 'in'; readonly field: FilterValue; readonly values: readonly FilterValue[] }
  | { readonly kind: 'between'; readonly field: FilterValue; readonly from: FilterValue; readonly to: FilterValue }
  | { readonly kind: 'exists' | 'null' | 'empty'; readonly field: FilterValue }
  | {
      readonly kind: 'contains' | 'startsWith';
      readonly field: FilterValue;
      readonly value: FilterValue;
      readonly operator: FilterValue;
    }
  | {
      readonly kind: 'geoRadius';
      readonly name: FilterValue;
      readonly center: GeoPair;
      readonly radius: FilterValue;
      readonly resolution: FilterValue | null;
    }
  | { readonly kind: 'geoBox'; readonly name: FilterValue; readonly topRight: GeoPair; readonly bottomLeft: GeoPair }
  | { readonly kind: 'geoPolygon'; readonly name: FilterValue; readonly points: readonly GeoPair[] }
  | {
      readonly kind: 'vectors';
      readonly name: FilterValue;
      readonly embedder: FilterValue | null;
      readonly part: VectorPart;
      readonly fragment: FilterValue | null;
    }
  | {
      readonly kind: 'foreign';
      readonly name: FilterValue;
      readonly field: FilterValue;
      readonly condition: FilterNode;
    };

/** A parsed filter; the offsets of its values point into its canonical text (spec 12 section 5.2). */
export interface Filter {
  readonly node: FilterNode;
  readonly text: string;
}

/** The filter is not one: the message ends with the context line, where there is an expression to quote. */
export class FilterError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FilterError';
  }
}

/** `{start}:{end} {text}`: columns count characters from 1. O(text). */
export function contextLine(text: string, start: number, end: number): string {
  const column = 1 + [...text.slice(0, start)].length;
  return `${column}:${column + [...text.slice(start, end)].length} ${text}`;
}
