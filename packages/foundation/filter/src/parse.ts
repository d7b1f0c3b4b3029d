import { MAX_FILTER_CONDITIONS, MAX_FILTER_ROW, MAX_FILTER_VALUES, own } from '@fossick/base';
import { canonicalText, rangeInCanonicalText } from './canonical.js';
import { FilterCursor, KEYWORDS, shown } from './cursor.js';
import { takeGeo, takeVectors } from './special-conditions.js';
import {
  type CompareOperator,
  contextLine,
  type Filter,
  FilterError,
  type FilterNode,
  type FilterValue,
  shortened,
} from './tree.js';

const DEPTH_MAX = 150;
const SYMBOLS: readonly CompareOperator[] = ['<=', '>=', '!=', '<', '>', '='];
const POSSIBLE =
  '`=`, `!=`, `<`, `<=`, `>`, `>=`, `TO`, `IN`, `NOT IN`, `EXISTS`, `NOT EXISTS`, `IS NULL`, `IS NOT NULL`, `IS EMPTY`, ' +
  '`IS NOT EMPTY`, `CONTAINS`, `NOT CONTAINS`, `STARTS WITH`, `NOT STARTS WITH`, `UNDER`, `NOT UNDER`, `_geoRadius`, `_geoBoundingBox`, `_geoPolygon`, ' +
  '`_vectors … EXISTS`, `_foreign` or `field[ condition ]`';

/** Kinds of conditions by their operators with a text. */
const TEXT_KINDS: ReadonlyMap<string, 'contains' | 'startsWith' | 'under'> = new Map([
  ['CONTAINS', 'contains'],
  ['STARTS WITH', 'startsWith'],
  ['UNDER', 'under'],
]);

const negated = (isNegated: boolean, item: FilterNode): FilterNode => (isNegated ? { kind: 'not', item } : item);

/** The remaining limits of one filter, counted down while its texts are parsed. */
class FilterBudget {
  private conditions = MAX_FILTER_CONDITIONS;
  private values = MAX_FILTER_VALUES;

  takeCondition(): void {
    if (--this.conditions < 0) throw tooManyConditions();
  }

  /** The parsed texts, each with its tree. */
  readonly texts: [FilterNode, string][] = [];

  takeValue(): void {
    if (--this.values < 0)
      throw new FilterError(`The \`IN\` lists of the filter are over the limit of ${MAX_FILTER_VALUES} values in all.`);
  }
}

const tooManyConditions = (): FilterError =>
  new FilterError(`The filter is over the limit of ${MAX_FILTER_CONDITIONS} conditions in all.`);

class FilterParser {
  private readonly cursor: FilterCursor;
  private readonly budget: FilterBudget;

  constructor(text: string, budget: FilterBudget) {
    this.cursor = new FilterCursor(text);
    this.budget = budget;
  }

  parse(): FilterNode {
    const node = this.or(1);
    const cursor = this.cursor;
    if (!cursor.isAtEnd) {
      cursor.fail(`Found leftover text \`${shown(cursor.rest)}\`; an \`OR\` or \`AND\` may be missing before it.`);
    }
    return node;
  }

  private checkDepth(depth: number): void {
    if (depth > DEPTH_MAX) this.cursor.fail('The filter is nested too deeply.');
  }

  private or(depth: number): FilterNode {
    this.checkDepth(depth);
    const items = [this.and(depth + 1)];
    while (this.cursor.takeKeyword('OR')) items.push(this.and(depth + 1));
    return items.length === 1 && items[0] !== undefined ? items[0] : { kind: 'or', items };
  }

  private and(depth: number): FilterNode {
    this.checkDepth(depth);
    const items = [this.not(depth + 1)];
    while (this.cursor.takeKeyword('AND')) items.push(this.not(depth + 1));
    return items.length === 1 && items[0] !== undefined ? items[0] : { kind: 'and', items };
  }

  private not(depth: number): FilterNode {
    this.checkDepth(depth);
    if (!this.cursor.takeKeyword('NOT')) return this.primary(depth + 1);
    const item = this.not(depth + 1);
    return item.kind === 'not' ? item.item : { kind: 'not', item };
  }

  private primary(depth: number): FilterNode {
    this.checkDepth(depth);
    const cursor = this.cursor;
    this.budget.takeCondition();
    if (cursor.isAtEnd) cursor.fail(`The text ended where a condition belongs: ${POSSIBLE}.`);
    const start = cursor.at;
    if (cursor.takeSymbol('(')) {
      const node = this.or(depth + 1);
      if (!cursor.takeSymbol(')')) {
        cursor.fail(`\`${shown(cursor.text.slice(start))}\` is not closed: \`)\` is missing.`, start);
      }
      return node;
    }
    return takeGeo(cursor) ?? this.vectors() ?? this.foreign(depth) ?? this.condition(depth);
  }

  private vectors(): FilterNode | undefined {
    const cursor = this.cursor;
    const node = takeVectors(cursor);
    if (node === undefined) return undefined;
    const isNegated = cursor.takeKeyword('NOT');
    if (!cursor.takeKeyword('EXISTS')) {
      cursor.fail('`_vectors` must be followed by `EXISTS` or `NOT EXISTS`.', node.name.start);
    }
    return negated(isNegated, node);
  }

  private foreign(depth: number): FilterNode | undefined {
    const cursor = this.cursor;
    if (cursor.peekWord() !== '_foreign' || !/^_foreign\s*\(/.test(cursor.rest)) return undefined;
    const name = { text: '_foreign', start: cursor.at, end: cursor.at + 8 };
    cursor.at += 8;
    cursor.takeSymbol('(');
    const expected = 'expected `_foreign(field, condition)`';
    const field = cursor.takeValue();
    if (field === undefined || !cursor.takeSymbol(','))
      return cursor.fail(`Found \`${shown(cursor.rest)}\`; ${expected}.`);
    const condition = this.or(depth + 1);
    if (!cursor.takeSymbol(')'))
      cursor.fail(`Found \`${shown(cursor.rest)}\`; ${expected} closed by \`)\`.`, name.start);
    return { kind: 'foreign', name, field, condition };
  }

  /** `field[ condition ]`, after the opening bracket. */
  private element(field: FilterValue, depth: number): FilterNode {
    const cursor = this.cursor;
    const condition = this.or(depth + 1);
    if (!cursor.takeSymbol(']'))
      cursor.fail(`Found \`${shown(cursor.rest)}\`; \`]\` is missing after \`${shown(field.text)}[\`.`, field.start);
    const special = specialIn(condition);
    if (special !== undefined)
      cursor.fail(`\`${special}\` cannot be part of a condition on an element.`, field.start, cursor.at);
    return { kind: 'element', field, condition };
  }

  private condition(depth: number): FilterNode {
    const cursor = this.cursor;
    const start = cursor.at;
    const field = cursor.takeValue();
    if (field === undefined) return this.noCondition(start);
    if (cursor.takeKeyword('IN')) return this.list(field);
    if (cursor.takeSymbol('[')) return this.element(field, depth);
    for (const operator of SYMBOLS) {
      if (cursor.takeSymbol(operator)) return { kind: 'compare', operator, field, value: cursor.requireValue() };
    }
    if (cursor.takeKeyword('IS')) return this.flag(field, start);
    const isNegated = cursor.takeKeyword('NOT');
    if (isNegated && cursor.takeKeyword('IN')) return negated(true, this.list(field));
    if (cursor.takeKeyword('EXISTS')) return negated(isNegated, { kind: 'exists', field });
    const operator = this.textOperator();
    if (operator !== undefined) {
      const kind = TEXT_KINDS.get(operator.text)!;
      return negated(isNegated, { kind, field, value: cursor.requireValue(), operator });
    }
    if (isNegated || KEYWORDS.has(cursor.peekWord())) return this.noCondition(start);
    const from = cursor.takeValue();
    if (from === undefined || !cursor.takeKeyword('TO')) return this.noCondition(start);
    return { kind: 'between', field, from, to: cursor.requireValue() };
  }

  private noCondition(start: number): never {
    const cursor = this.cursor;
    const rest = shown(cursor.text.slice(start));
    return cursor.fail(`Found \`${rest}\` where one of these conditions belongs: ${POSSIBLE}.`, start);
  }

  private textOperator(): FilterValue | undefined {
    const cursor = this.cursor;
    const word = cursor.peekWord();
    const start = cursor.at;
    const isStart = word === 'STARTS' && /^STARTS WITH(?![\p{Alphabetic}\p{N}_.-])/u.test(cursor.rest);
    // no keyword: fields and values may have this name, as in `field UNDER TO 5`
    const isUnder = word === 'UNDER' && !/^UNDER\s+TO(?![\p{Alphabetic}\p{N}_.-])/u.test(cursor.rest);
    if (word !== 'CONTAINS' && !isStart && !isUnder) return undefined;
    const text = isStart ? 'STARTS WITH' : word;
    cursor.at += text.length;
    return { text, start, end: cursor.at };
  }

  private flag(field: FilterValue, start: number): FilterNode {
    const cursor = this.cursor;
    const isNegated = cursor.takeKeyword('NOT');
    if (cursor.takeKeyword('NULL')) return negated(isNegated, { kind: 'null', field });
    if (cursor.takeKeyword('EMPTY')) return negated(isNegated, { kind: 'empty', field });
    return this.noCondition(start);
  }

  private list(field: FilterValue): FilterNode {
    const cursor = this.cursor;
    if (!cursor.takeSymbol('[')) cursor.fail('`[` must follow `IN`.');
    const values: FilterValue[] = [];
    for (;;) {
      if (cursor.takeSymbol(']')) break;
      if (cursor.isAtEnd) cursor.fail('`]` is missing at the end of the `IN[` list.');
      const word = cursor.peekWord();
      if (word !== '' && KEYWORDS.has(word)) {
        const advice = 'quotes would make the keyword a value';
        cursor.fail(
          `Only values and commas go into an \`IN[\` list, found \`${word}\`; ${advice}.`,
          cursor.at,
          cursor.at + word.length,
        );
      }
      const value = cursor.takeValue();
      if (value === undefined)
        return cursor.fail(`Only values and commas go into an \`IN[\` list, found \`${shown(cursor.rest)}\`.`);
      this.budget.takeValue();
      values.push(value);
      if (cursor.takeSymbol(',')) continue;
      if (cursor.takeSymbol(']')) break;
      if (cursor.isAtEnd) cursor.fail('`]` is missing at the end of the `IN[` list.');
      cursor.fail(`Only values and commas go into an \`IN[\` list, found \`${shown(cursor.rest)}\`.`);
    }
    return { kind: 'in', field, values };
  }
}

function parseText(text: string, budget: FilterBudget): FilterNode | null {
  if (isBlank(text)) return null;
  const node = new FilterParser(text, budget).parse();
  budget.texts.push([node, text]);
  return node;
}

/** What no element of an array has: the name of the first such condition. */
function specialIn(node: FilterNode): string | undefined {
  switch (node.kind) {
    case 'and':
    case 'or':
      for (const item of node.items) {
        const found = specialIn(item);
        if (found !== undefined) return found;
      }
      return undefined;
    case 'not':
      return specialIn(node.item);
    case 'element':
      return `${node.field.text}[`;
    case 'geoRadius':
    case 'geoBox':
    case 'geoPolygon':
    case 'vectors':
    case 'foreign':
      return node.name.text;
    default:
      return undefined;
  }
}

const isBlank = (text: string): boolean => !/\S/.test(text);

const wrongType = (value: unknown, allowed: string): never => {
  throw new FilterError(`The filter holds \`${shownJson(value)}\` where ${allowed} belongs.`);
};

/** Items, and nested arrays and objects, that a message shows of a wrong value. */
const SHOWN_ITEMS_MAX = 20;
const SHOWN_DEPTH_MAX = 4;

/** JSON of a received value for a message, with limited depth and length. */
function shownJson(value: unknown): string {
  return shortened(JSON.stringify(excerptOf(value, SHOWN_DEPTH_MAX)) ?? String(value));
}

function excerptOf(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return shortened(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '…';
  if (Array.isArray(value)) {
    const items = value.slice(0, SHOWN_ITEMS_MAX).map((item) => excerptOf(item, depth - 1));
    return value.length > SHOWN_ITEMS_MAX ? [...items, '…'] : items;
  }
  const entries: [string, unknown][] = [];
  for (const name in value) {
    if (entries.length === SHOWN_ITEMS_MAX) break;
    entries.push([shortened(name), excerptOf(own(value as Record<string, unknown>, name), depth - 1)]);
  }
  return Object.fromEntries(entries);
}

function joined(kind: 'and' | 'or', items: readonly (FilterNode | null)[]): FilterNode | null {
  const kept = items.filter((item) => item !== null);
  return kept.length <= 1 ? (kept[0] ?? null) : { kind, items: kept };
}

function parseItem(item: unknown, budget: FilterBudget): FilterNode | null {
  if (typeof item === 'string') return parseText(item, budget);
  if (!Array.isArray(item)) return wrongType(item, 'a string or an array of strings');
  const group = item.map((inner) =>
    typeof inner === 'string' ? parseText(inner, budget) : wrongType(inner, 'a string'),
  );
  return joined('or', group);
}

/** True if there are more than `budget` conditions along the connectives. */
function isTooLong(node: FilterNode, budget: number): boolean {
  if (budget <= 0) return true;
  if (node.kind === 'not') return isTooLong(node.item, budget - 1);
  if (node.kind === 'element') return isTooLong(node.condition, budget - 1);
  if (node.kind !== 'and' && node.kind !== 'or') return false;
  return node.items.some((item, index) => isTooLong(item, budget - 1 - index));
}

/** Throws FilterError for a `filter` parameter whose arrays hold more items than a filter may have conditions. O(items of the outer array). */
export function checkFilterSize(input: unknown): void {
  if (!Array.isArray(input)) return;
  let count = input.length;
  if (count <= MAX_FILTER_CONDITIONS) for (const item of input) count += Array.isArray(item) ? item.length : 0;
  if (count > MAX_FILTER_CONDITIONS) throw tooManyConditions();
}

/**
 * Parses the `filter` parameter: a string, or an array (AND) of strings and arrays of strings (OR); null when there is
 * no condition. Throws FilterError, also for more conditions or values than a filter may have, as soon as the limit is
 * exceeded. O(size)
 */
export function parseFilter(input: unknown): Filter | null {
  const budget = new FilterBudget();
  let node: FilterNode | null;
  if (input === null || input === undefined) return null;
  checkFilterSize(input);
  if (typeof input === 'string') node = parseText(input, budget);
  else if (Array.isArray(input)) {
    node = joined(
      'and',
      input.map((item) => parseItem(item, budget)),
    );
  } else node = wrongType(input, 'a string or an array');
  if (node === null) return null;
  if (isTooLong(node, MAX_FILTER_ROW))
    throw new FilterError(`The filter is over the limit of ${MAX_FILTER_ROW} conditions.`);
  return filterOf(node, (token) => lineInTexts(budget.texts, token));
}

/** The line of the user's own text that contains the token; in an array, of its element. O(size) */
function lineInTexts(texts: readonly (readonly [FilterNode, string])[], token: FilterValue): string | undefined {
  const [, text] = texts.find(([node]) => holds(node, token)) ?? [];
  return text === undefined ? undefined : contextLine(text, token.start, token.end);
}

/** Whether the token is part of a tree, whose depth the parser limits. */
function holds(part: unknown, token: FilterValue): boolean {
  if (part === token) return true;
  if (typeof part !== 'object' || part === null) return false;
  return (Array.isArray(part) ? part : Object.values(part)).some((inner) => holds(inner, token));
}

/**
 * A subtree as a filter of its own. O(1), until its text is read.
 * @param lineOf the line that contains a token; undefined for generated tokens, which are quoted from the canonical
 * text
 */
export function filterOf(
  node: FilterNode,
  lineOf: (token: FilterValue) => string | undefined = () => undefined,
): Filter {
  return {
    node,
    get text() {
      return canonicalText(node);
    },
    contextOf(token) {
      const line = lineOf(token);
      if (line !== undefined) return line;
      const { text, start, end } = rangeInCanonicalText(node, token);
      return contextLine(text, start, end);
    },
  };
}
