/**
 * A field name, value or argument. `start` and `end` are UTF-16 offsets of the fragment (without quotes) in the parsed
 * text.
 */
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
      readonly kind: 'contains' | 'startsWith' | 'under';
      readonly field: FilterValue;
      readonly value: FilterValue;
      readonly operator: FilterValue;
    }
  /** One element of an array satisfies all of a condition, whose fields are those of the element. */
  | { readonly kind: 'element'; readonly field: FilterValue; readonly condition: FilterNode }
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

/** A parsed filter. */
export interface Filter {
  readonly node: FilterNode;
  /** Its canonical text, made on first access. O(size) */
  readonly text: string;
  /** The line with a token of the tree and its position, for messages. O(size) */
  contextOf(token: FilterValue): string;
}

/** The filter is invalid: the message ends with the context line, if there is an expression to quote. */
export class FilterError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FilterError';
  }
}

/** A sort entry is malformed; the message says which one and what is accepted. */
export class SortError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SortError';
  }
}

/** A score expression is malformed or over a limit; the message says where and what is accepted. */
export class ScoreError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ScoreError';
  }
}

/** UTF-16 units of a text that a message shows completely. */
const SHOWN_UNITS_MAX = 2_000;
/** UTF-16 units shown on either side of the position in a longer text. */
const SHOWN_UNITS_AROUND = 200;

/**
 * `{start}:{end} {text}`: columns count characters from 1. Of a long text only the part around the position. O(text)
 */
export function contextLine(text: string, start: number, end: number): string {
  const column = 1 + characterCount(text, 0, start);
  const columns = `${column}:${column + characterCount(text, start, end)}`;
  if (text.length <= SHOWN_UNITS_MAX) return `${columns} ${text}`;
  const from = Math.max(0, start - SHOWN_UNITS_AROUND);
  const shown = text.slice(from, Math.min(end, start + SHOWN_UNITS_AROUND) + SHOWN_UNITS_AROUND);
  return `${columns} ${from === 0 ? '' : '…'}${shown}${from + shown.length < text.length ? '…' : ''}`;
}

/** The start of a text that may be too long for a message. */
export function shortened(text: string): string {
  return text.length <= SHOWN_UNITS_MAX ? text : `${text.slice(0, SHOWN_UNITS_MAX)}…`;
}

/** Code points; lone surrogates count as one each, as `[...text]` counts them. */
function characterCount(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    const isPair = unit >= 0xd800 && unit < 0xdc00 && at + 1 < end && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    if (isPair) at += 1;
    count += 1;
  }
  return count;
}
