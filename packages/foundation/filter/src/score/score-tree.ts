import type { ScoreFunctionName } from './score-functions.js';

/** A node of a score expression. Times and durations are seconds. */
export type ScoreNode =
  | { readonly kind: 'number'; readonly value: number }
  /** The start of the search, in seconds since 1970. */
  | { readonly kind: 'now' }
  | { readonly kind: 'field'; readonly name: string }
  /** Metres from `_geo` to a point. */
  | { readonly kind: 'geoDistance'; readonly lat: number; readonly lng: number }
  | { readonly kind: 'call'; readonly name: ScoreFunctionName; readonly args: readonly ScoreNode[] };

/** A parsed score expression. */
export interface ScoreExpression {
  /** As written, without space at its ends. */
  readonly text: string;
  readonly node: ScoreNode;
  /** The fields that it reads, `_geo` for distances, each once. */
  readonly fields: readonly string[];
  /** Whether its value depends on the time. */
  readonly usesNow: boolean;
}
