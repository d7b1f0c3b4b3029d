import type { Token } from '@fossick/tokenizer';
import { isSeparator, type TextMatch, type TextTokens } from './text-matches.js';

/** UTF-16 offsets of the shown part of a text. */
export interface CropWindow {
  readonly start: number;
  readonly end: number;
}

const DISTANCE_MAX = 7;

/** The part of the text, of `wordCount` words (at least 1), with the best-scoring matches. O(matches + tokens). */
export function cropWindow(cut: TextTokens, matches: readonly TextMatch[], wordCount: number): CropWindow {
  const { tokens } = cut;
  if (matches.length === 0) return growWindow(cut, [], tokens, wordCount);
  const [first, last] = bestInterval(matches, wordCount);
  const size = last.lastWord - first.firstWord + 1;
  if (size > wordCount) {
    // A phrase is longer than the window: its last words are left out.
    return growWindow(cut, [], tokens.slice(0, last.lastToken + 2).reverse(), size - wordCount, true);
  }
  return growWindow(
    cut,
    tokens.slice(0, first.firstToken).reverse(),
    tokens.slice(last.lastToken + 1),
    wordCount - size,
  );
}

/** First and last match of the best-scoring interval; of ties the earliest. O(matches). */
function bestInterval(matches: readonly TextMatch[], wordCount: number): readonly [TextMatch, TextMatch] {
  let best: { readonly first: number; readonly last: number; readonly score: Score } | undefined;
  const sliding = new SlidingScore(matches);
  const consider = (first: number, last: number): void => {
    const score = sliding.of(first, last);
    if (best === undefined || isGreater(score, best.score)) best = { first, last, score };
  };
  const spanFrom = (from: number, match: TextMatch): number => match.lastWord - matches[from]!.firstWord;
  const lastIndex = matches.length - 1;
  let from = 0;
  for (let index = 0; index < matches.length; index++) {
    const match = matches[index]!;
    if (spanFrom(from, match) < wordCount) continue;
    if (index !== 0) consider(from, index - 1);
    do {
      from++;
      if (from === matches.length) {
        from--;
        break;
      }
    } while (matches[from]!.firstWord <= match.lastWord && spanFrom(from, match) >= wordCount);
  }
  const wordsOfFrom = matches[from]!.lastWord - matches[from]!.firstWord + 1;
  if (from !== lastIndex || wordsOfFrom < wordCount) consider(from, lastIndex);
  return best === undefined ? [matches[0]!, matches[0]!] : [matches[best.first]!, matches[best.last]!];
}

/** Number of distinct query positions, then closeness, then number of pairs in query order. */
type Score = readonly [positionCount: number, closeness: number, ordered: number];

/** Scores intervals of matches whose ends only move forward: each match is added and removed once. */
class SlidingScore {
  private readonly matches: readonly TextMatch[];
  private first = 0;
  private end = 0;
  private distance = 0;
  private ordered = 0;
  /** Number of matches of the interval by covered query position. */
  private readonly covering = new Map<number, number>();

  constructor(matches: readonly TextMatch[]) {
    this.matches = matches;
  }

  /** The score of the matches [first, last]; of no matches when `last` is less. */
  of(first: number, last: number): Score {
    for (; this.first < first && this.first < this.end; this.first++) {
      this.changeMatch(this.first, -1);
      if (this.first + 1 < this.end) this.changePair(this.first, -1);
    }
    this.first = first;
    this.end = Math.max(this.end, first);
    for (; this.end <= last; this.end++) {
      this.changeMatch(this.end, 1);
      if (this.end > first) this.changePair(this.end - 1, 1);
    }
    return [this.covering.size, -this.distance, this.ordered];
  }

  private changeMatch(at: number, sign: 1 | -1): void {
    const match = this.matches[at]!;
    for (let position = match.firstPosition; position <= match.lastPosition; position++) {
      const count = (this.covering.get(position) ?? 0) + sign;
      if (count === 0) this.covering.delete(position);
      else this.covering.set(position, count);
    }
    const innerSteps = match.lastWord - match.firstWord;
    this.distance += sign * innerSteps;
    this.ordered += sign * innerSteps;
  }

  private changePair(left: number, sign: 1 | -1): void {
    const [match, next] = [this.matches[left]!, this.matches[left + 1]!];
    this.distance += sign * Math.min(DISTANCE_MAX, next.firstWord - match.lastWord);
    if (next.firstPosition > match.firstPosition) this.ordered += sign;
  }
}

function isGreater(left: readonly number[], right: readonly number[]): boolean {
  const index = left.findIndex((value, at) => value !== right[at]);
  return index !== -1 && left[index]! > right[index]!;
}

/**
 * Adds tokens on both sides until the words are used up (section 5.2): `before` and `after` lead away from the window.
 * With `backwards`, `after` leads into it instead.
 */
function growWindow(
  { text }: TextTokens,
  before: readonly Token[],
  after: readonly Token[],
  wordsToTake: number,
  backwards = false,
): CropWindow {
  let remaining = wordsToTake;
  let left = 0;
  let right = 0;
  while (remaining > 0) {
    const leftToken = before[left];
    const rightToken = after[right];
    if (leftToken === undefined && rightToken === undefined) break;
    // a symbol next to a word belongs to it
    if (leftToken?.kind === 'symbol' || rightToken?.kind === 'symbol') {
      if (leftToken?.kind === 'symbol') left++;
      else right++;
      continue;
    }
    if (leftToken === undefined || rightToken === undefined) {
      if (leftToken !== undefined) left++;
      else right++;
      if (!isSeparator((leftToken ?? rightToken)!)) remaining--;
      continue;
    }
    const leftSeparates = isSeparator(leftToken);
    const rightSeparates = isSeparator(rightToken);
    if (leftSeparates && rightSeparates) {
      if (leftToken.kind === rightToken.kind) {
        left++;
        if (remaining > 1) right++;
      } else if (leftToken.kind === 'hardSeparator') right++;
      else left++;
    } else if (rightSeparates) {
      left++;
      remaining--;
    } else if (leftSeparates) {
      right++;
      remaining--;
    } else {
      left++;
      remaining--;
      if (remaining > 0) {
        right++;
        remaining--;
      }
    }
  }
  const end = after[right]?.start ?? (backwards ? 0 : text.length);
  return { start: before[left]?.end ?? 0, end };
}
