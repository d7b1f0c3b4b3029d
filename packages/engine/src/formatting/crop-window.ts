import type { Token } from '@fossick/tokenizer';
import { isSeparator, type TextMatch, type TextTokens } from './text-matches.js';

/** UTF-16 offsets of the part of a text to show. */
export interface CropWindow {
  readonly start: number;
  readonly end: number;
}

const DISTANCE_MAX = 7;

/**
 * The part of the text, of `wordCount` words (at least 1), that shows the matches best (spec 13 section 5). O(matches²
 * + tokens).
 */
export function cropWindow(cut: TextTokens, matches: readonly TextMatch[], wordCount: number): CropWindow {
  const { tokens } = cut;
  if (matches.length === 0) return growWindow(cut, [], tokens, wordCount);
  const [first, last] = bestInterval(matches, wordCount);
  const size = last.lastWord - first.firstWord + 1;
  if (size > wordCount) {
    // One phrase is longer than the window: its last words are walked off.
    return growWindow(cut, [], tokens.slice(0, last.lastToken + 2).reverse(), size - wordCount, true);
  }
  return growWindow(
    cut,
    tokens.slice(0, first.firstToken).reverse(),
    tokens.slice(last.lastToken + 1),
    wordCount - size,
  );
}

/** First and last match of the interval that scores best; the earliest of equals. */
function bestInterval(matches: readonly TextMatch[], wordCount: number): readonly [TextMatch, TextMatch] {
  let best: { readonly first: number; readonly last: number; readonly score: readonly number[] } | undefined;
  const consider = (first: number, last: number): void => {
    const score = scoreInterval(matches.slice(first, last + 1));
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

/** Distinct query positions, then closeness, then pairs in the order of the query. */
function scoreInterval(interval: readonly TextMatch[]): readonly [number, number, number] {
  const positions = new Set<number>();
  let distance = 0;
  let ordered = 0;
  interval.forEach((match, index) => {
    for (let at = match.firstPosition; at <= match.lastPosition; at++) positions.add(at);
    const innerSteps = match.lastWord - match.firstWord;
    distance += innerSteps;
    ordered += innerSteps;
    const next = interval[index + 1];
    if (next === undefined) return;
    distance += Math.min(DISTANCE_MAX, next.firstWord - match.lastWord);
    if (next.firstPosition > match.firstPosition) ordered++;
  });
  return [positions.size, -distance, ordered];
}

function isGreater(left: readonly number[], right: readonly number[]): boolean {
  const index = left.findIndex((value, at) => value !== right[at]);
  return index !== -1 && left[index]! > right[index]!;
}

/**
 * Takes tokens on both sides until the words are used up (section 5.2): `before` and `after` lead away from the
 * window. With `backwards`,
 * `after` leads into it instead.
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
