import { type Builtin, changes, countOf, type Outcome, placeIn, yields } from './methods.js';
import { checkedText } from './operators.js';
import { Range, toText, type Value } from './values.js';

type TextMethod = (text: string, args: readonly Value[]) => Outcome | undefined;
const isText = (value: Value | undefined): value is string => typeof value === 'string';
const chars = (text: string): string[] => [...text];

/** The characters from a place on, by start and count or by range. */
function slice(text: string, start: Value | undefined, count: Value | undefined): string | undefined {
  const all = chars(text);
  if (start instanceof Range) {
    const from = placeIn(all.length, Number(start.from));
    return all.slice(from, start.to === null ? all.length : Number(start.to)).join('');
  }
  const [at, length] = [countOf(start), count === undefined ? all.length : countOf(count)];
  if (at === undefined || length === undefined) return undefined;
  const from = placeIn(all.length, at);
  return all.slice(from, from + Math.max(0, length)).join('');
}

function split(text: string, args: readonly Value[]): Value[] | undefined {
  const [separator, limit] = args;
  if (separator === undefined) return text.split(/\s+/u).filter((part) => part !== '');
  const at = countOf(separator);
  if (at !== undefined) {
    const all = chars(text);
    const place = placeIn(all.length, at);
    return [all.slice(0, place).join(''), all.slice(place).join('')];
  }
  if (!isText(separator)) return undefined;
  const parts = text.split(separator);
  const count = limit === undefined ? parts.length : countOf(limit);
  if (count === undefined) return undefined;
  return parts.length <= count ? parts : [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
}

function parseInt64(text: string, radix: Value | undefined): Value | undefined {
  const base = radix === undefined ? 10 : countOf(radix);
  if (base === undefined || base < 2 || base > 36) return undefined;
  const match = /^([+-]?)([0-9a-z]+)$/i.exec(text.trim());
  const digits = match?.[2] ?? '';
  if (digits === '' || [...digits].some((digit) => !(Number.parseInt(digit, 36) < base))) return undefined;
  const value = [...digits].reduce((sum, digit) => sum * BigInt(base) + BigInt(Number.parseInt(digit, 36)), 0n);
  return match?.[1] === '-' ? -value : value;
}

const optional = (value: Value | undefined): Outcome | undefined => (value === undefined ? undefined : yields(value));

const METHODS: Readonly<Record<string, TextMethod>> = {
  len: (text) => yields(BigInt(chars(text).length)),
  bytes: (text) => yields(BigInt(Buffer.byteLength(text))),
  is_empty: (text) => yields(text === ''),
  to_upper: (text) => yields(text.toUpperCase()),
  to_lower: (text) => yields(text.toLowerCase()),
  make_upper: (text) => changes(text.toUpperCase()),
  make_lower: (text) => changes(text.toLowerCase()),
  trim: (text) => changes(text.trim()),
  clear: () => changes(''),
  contains: (text, [part]) => (isText(part) ? yields(text.includes(part)) : undefined),
  starts_with: (text, [part]) => (isText(part) ? yields(text.startsWith(part)) : undefined),
  ends_with: (text, [part]) => (isText(part) ? yields(text.endsWith(part)) : undefined),
  index_of: (text, [part, from]) => {
    if (!isText(part)) return undefined;
    const all = chars(text);
    const start = placeIn(all.length, countOf(from) ?? 0);
    const skipped = all.slice(0, start).join('').length;
    const at = text.indexOf(part, skipped);
    return yields(at < 0 ? -1n : BigInt(chars(text.slice(0, at)).length));
  },
  sub_string: (text, [start, count]) => optional(slice(text, start, count)),
  crop: (text, [start, count]) => {
    const kept = slice(text, start, count);
    return kept === undefined ? undefined : changes(kept);
  },
  truncate: (text, [count]) => {
    const length = countOf(count);
    return length === undefined ? undefined : changes(chars(text).slice(0, Math.max(0, length)).join(''));
  },
  pad: (text, [count, filler]) => {
    const length = countOf(count);
    if (length === undefined || !isText(filler) || filler === '') return undefined;
    const missing = Math.min(length, 2 ** 24) - chars(text).length;
    return changes(
      missing <= 0
        ? text
        : chars(text)
            .concat(chars(filler.repeat(missing)).slice(0, missing))
            .join(''),
    );
  },
  replace: (text, [from, to]) =>
    isText(from) && isText(to) && from !== '' ? changes(checkedText(text.split(from).join(to))) : undefined,
  remove: (text, [part]) => (isText(part) && part !== '' ? changes(text.split(part).join('')) : undefined),
  append: (text, [more]) => (more === undefined ? undefined : changes(checkedText(text + toText(more)))),
  push: (text, [more]) => (more === undefined ? undefined : changes(checkedText(text + toText(more)))),
  pop: (text, [count]) => {
    const all = chars(text);
    const length = count === undefined ? 1 : countOf(count);
    if (length === undefined) return undefined;
    const kept = Math.max(0, all.length - Math.max(0, length));
    return changes(all.slice(0, kept).join(''), all.slice(kept).join(''));
  },
  split: (text, args) => optional(split(text, args)),
  to_chars: (text) => yields(chars(text)),
  chars: (text) => yields(chars(text)),
  parse_int: (text, [radix]) => optional(parseInt64(text, radix)),
  parse_float: (text) => (text.trim() === '' || Number.isNaN(Number(text)) ? undefined : yields(Number(text))),
  parse_bool: (text) => (text === 'true' || text === 'false' ? yields(text === 'true') : undefined),
};

/** Functions of strings, by name. */
export const TEXT_METHODS: ReadonlyMap<string, Builtin> = new Map(
  Object.entries(METHODS).map(([name, method]): [string, Builtin] => [
    name,
    ([self, ...args]) => (isText(self) ? method(self, args) : undefined),
  ]),
);
