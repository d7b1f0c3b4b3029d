import { utf8Length } from '@fossick/base';
import { ScriptRunError } from '../syntax/script-error.js';
import type { Budget } from '../values/budget.js';
import { charCount, charsBetween, charsOf, offsetOf } from '../values/char-offsets.js';
import { checkLength, joinTexts, replaceAll } from '../values/operators.js';
import { Range, type Value } from '../values/value.js';
import { checkedInt, toText } from '../values/values.js';
import { type Builtin, changes, countOf, type Outcome, referenceIn, yields } from './methods.js';

type TextMethod = (text: string, args: readonly Value[], budget: Budget) => Outcome | undefined;
const isText = (value: Value | undefined): value is string => typeof value === 'string';

/** The characters from an index on, by start and count or by range. */
function slice(text: string, start: Value | undefined, count: Value | undefined, budget: Budget): string | undefined {
  if (start instanceof Range) {
    const from = indexFrom(text, Number(start.from), budget);
    const to = start.to === null ? text.length : indexFrom(text, Number(start.to), budget);
    return charsBetween(text, from, to, budget);
  }
  const [at, length] = [countOf(start), count === undefined ? text.length : countOf(count)];
  if (at === undefined || length === undefined) return undefined;
  const from = indexFrom(text, at, budget);
  return charsBetween(text, from, from + Math.max(0, length), budget);
}

/** An index counted from the start; all characters are counted only for one that counts from the end. */
function indexFrom(text: string, at: number, budget: Budget): number {
  return at >= 0 ? at : referenceIn(charCount(text, budget), at);
}

function split(text: string, args: readonly Value[], budget: Budget): Value[] | undefined {
  const [separator, limit] = args;
  budget.spendText(text.length);
  // one more than the budget allows is enough to detect an excess
  const partsMax = budget.left + 1;
  const paid = (parts: string[]): string[] => {
    budget.spend(parts.length);
    return parts;
  };
  if (separator === undefined) return paid(text.split(/\s+/u, partsMax)).filter((part) => part !== '');
  const at = countOf(separator);
  if (at !== undefined) {
    const index = offsetOf(text, indexFrom(text, at, budget), budget);
    return [text.slice(0, index), text.slice(index)];
  }
  if (!isText(separator)) return undefined;
  if (separator === '') return limited(charsOf(text, budget), separator, limit);
  budget.spendSearch(text, separator);
  return limited(paid(text.split(separator, partsMax)), separator, limit);
}

function limited(parts: string[], separator: string, limit: Value | undefined): Value[] | undefined {
  const count = limit === undefined ? parts.length : countOf(limit);
  if (count === undefined) return undefined;
  return parts.length <= count ? parts : [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
}

/** The most digits of a 64-bit number, in base 2. */
const DIGITS_MAX = 64;

function parseInt64(text: string, radix: Value | undefined, budget: Budget): Value | undefined {
  const base = radix === undefined ? 10 : countOf(radix);
  if (base === undefined || base < 2 || base > 36) return undefined;
  budget.spendText(text.length);
  const match = /^([+-]?)([0-9a-z]+)$/i.exec(text.trim());
  if (match === null) return undefined;
  const digits = match[2]!.replace(/^0+/, '');
  if (digits.length > DIGITS_MAX) throw new ScriptRunError('Parsing of an integer overflow');
  if ([...digits].some((digit) => !(Number.parseInt(digit, 36) < base))) return undefined;
  const value = [...digits].reduce((sum, digit) => sum * BigInt(base) + BigInt(Number.parseInt(digit, 36)), 0n);
  return checkedInt(match[1] === '-' ? -value : value, 'Parsing of an integer');
}

/** The text, padded with characters of the filler to `length`. */
function pad(text: string, length: number, filler: string, budget: Budget): string {
  const missing = length - charCount(text, budget);
  if (missing <= 0) return text;
  checkLength(missing);
  const times = Math.ceil(missing / charCount(filler, budget));
  checkLength(text.length + times * filler.length);
  budget.spendText(text.length + times * filler.length);
  return text + charsBetween(filler.repeat(times), 0, missing, budget);
}

/** Upper and lower case may be up to three times as long as the text. */
function cased(text: string, change: (text: string) => string, budget: Budget): string {
  budget.spendText(text.length);
  checkLength(text.length);
  const changed = change(text);
  checkLength(changed.length);
  return changed;
}
const upper = (text: string): string => text.toUpperCase();
const lower = (text: string): string => text.toLowerCase();

function indexOf(text: string, part: string, from: number, budget: Budget): number {
  const start = offsetOf(text, indexFrom(text, from, budget), budget);
  budget.spendSearch(text, part);
  const at = text.indexOf(part, start);
  return at < 0 ? -1 : charCount(text.slice(0, at), budget);
}

function pop(text: string, count: number, budget: Budget): Outcome {
  const kept = Math.max(0, charCount(text, budget) - Math.max(0, count));
  const index = offsetOf(text, kept, budget);
  return changes(text.slice(0, index), text.slice(index));
}

/** The text, after charging for its length. */
const paid = (text: string, budget: Budget): string => {
  budget.spendText(text.length);
  return text;
};
const optional = (value: Value | undefined): Outcome | undefined => (value === undefined ? undefined : yields(value));
const changed = (value: Value | undefined): Outcome | undefined => (value === undefined ? undefined : changes(value));
const append: TextMethod = (text, [more], budget) =>
  more === undefined ? undefined : changes(joinTexts([text, toText(more, budget)], budget));

const METHODS: Readonly<Record<string, TextMethod>> = {
  len: (text, _, budget) => yields(BigInt(charCount(text, budget))),
  bytes: (text, _, budget) => yields(BigInt(utf8Length(paid(text, budget)))),
  is_empty: (text) => yields(text === ''),
  to_upper: (text, _, budget) => yields(cased(text, upper, budget)),
  to_lower: (text, _, budget) => yields(cased(text, lower, budget)),
  make_upper: (text, _, budget) => changes(cased(text, upper, budget)),
  make_lower: (text, _, budget) => changes(cased(text, lower, budget)),
  trim: (text, _, budget) => changes(paid(text, budget).trim()),
  clear: () => changes(''),
  contains: (text, [part], budget) => {
    if (!isText(part)) return undefined;
    budget.spendSearch(text, part);
    return yields(text.includes(part));
  },
  starts_with: (text, [part], budget) => (isText(part) ? yields(text.startsWith(paid(part, budget))) : undefined),
  ends_with: (text, [part], budget) => (isText(part) ? yields(paid(text, budget).endsWith(part)) : undefined),
  index_of: (text, [part, from], budget) =>
    isText(part) ? yields(BigInt(indexOf(text, part, countOf(from) ?? 0, budget))) : undefined,
  sub_string: (text, [start, count], budget) => optional(slice(text, start, count, budget)),
  crop: (text, [start, count], budget) => changed(slice(text, start, count, budget)),
  truncate: (text, [count], budget) => {
    const length = countOf(count);
    return length === undefined ? undefined : changes(charsBetween(text, 0, Math.max(0, length), budget));
  },
  pad: (text, [count, filler], budget) => {
    const length = countOf(count);
    return length === undefined || !isText(filler) || filler === ''
      ? undefined
      : changes(pad(text, length, filler, budget));
  },
  replace: (text, [from, to], budget) =>
    isText(from) && isText(to) && from !== '' ? changes(replaceAll(text, from, to, budget)) : undefined,
  remove: (text, [part], budget) =>
    isText(part) && part !== '' ? changes(replaceAll(text, part, '', budget)) : undefined,
  append,
  push: append,
  pop: (text, [count], budget) => {
    const length = count === undefined ? 1 : countOf(count);
    return length === undefined ? undefined : pop(text, length, budget);
  },
  split: (text, args, budget) => optional(split(text, args, budget)),
  to_chars: (text, _, budget) => yields(charsOf(text, budget)),
  chars: (text, _, budget) => yields(charsOf(text, budget)),
  parse_int: (text, [radix], budget) => optional(parseInt64(text, radix, budget)),
  parse_float: (text, _, budget) => {
    const number = paid(text, budget).trim();
    return number === '' || Number.isNaN(Number(number)) ? undefined : yields(Number(number));
  },
  parse_bool: (text) => (text === 'true' || text === 'false' ? yields(text === 'true') : undefined),
};

/** Functions of strings, by name. */
export const TEXT_METHODS: ReadonlyMap<string, Builtin> = new Map(
  Object.entries(METHODS).map(([name, method]): [string, Builtin] => [
    name,
    ([self, ...args], { budget }) => (isText(self) ? method(self, args, budget) : undefined),
  ]),
);
