import { ScriptRunError } from '../syntax/script-error.js';
import type { Budget } from './budget.js';
import { Range, type Value } from './value.js';
import { areEqual, checkedInt, compare, isUnsigned, toText, typeName } from './values.js';

/** The most entries of arrays and maps. */
const ENTRY_COUNT_MAX = 10_000;
/** Characters of a property's name: the position in a map depends on all of them. */
const NAME_CHARS_MAX = 8_192;
/** Entries of arrays and maps that cost as much as a step. */
const ENTRIES_PER_OPERATION = 4;
/** Characters of a string: far below the runtime's limit. */
export const TEXT_CHARS_MAX = 2 ** 24;

/** Applies a binary operator. Throws ScriptRunError for types that it does not accept. */
export function applyOperator(operator: string, left: Value, right: Value, budget: Budget): Value {
  switch (operator) {
    case '==':
      return areEqual(left, right, budget);
    case '!=':
      return !areEqual(left, right, budget);
    case '<':
    case '>':
    case '<=':
    case '>=':
      return isOrdered(operator, compare(left, right, budget));
    case 'in':
      return contains(right, left, budget);
    case '!in':
      return !contains(right, left, budget);
    case '..':
    case '..=':
      return rangeOf(left, right, operator === '..=');
    default:
      return calculate(operator, left, right, budget);
  }
}

export function negate(operator: string, value: Value): Value {
  if (operator === '!' && typeof value === 'boolean') return !value;
  if (operator === '-' && isUnsigned(value)) return -Number(value);
  if (operator === '-' && typeof value === 'bigint') return checkedInt(-value, 'Negation');
  if (operator === '-' && typeof value === 'number') return -value;
  if (operator === '+' && (typeof value === 'bigint' || typeof value === 'number')) return value;
  throw new ScriptRunError(`Function not found: ${operator} (${typeName(value)})`);
}

/** Throws when a string of this length would be too long: called before it is created. */
export function checkLength(length: number): void {
  if (!(length <= TEXT_CHARS_MAX)) throw new ScriptRunError('Length of string too large');
}
export function checkedText(text: string): string {
  checkLength(text.length);
  return text;
}

/** Concatenates texts. The runtime links them, so all but the longest are charged. */
export function joinTexts(parts: readonly string[], budget: Budget): string {
  let length = 0;
  let longest = 0;
  for (const part of parts) {
    length += part.length;
    longest = Math.max(longest, part.length);
  }
  checkLength(length);
  budget.spendText(length - longest);
  let text = '';
  for (const part of parts) text += part;
  return text;
}

/** The text with each occurrence of `from` replaced; an empty `from` occurs nowhere. */
export function replaceAll(text: string, from: string, to: string, budget: Budget): string {
  if (from === '') return text;
  budget.spendSearch(text, from);
  let count = 0;
  for (let at = text.indexOf(from); at >= 0; at = text.indexOf(from, at + from.length)) count++;
  const length = text.length + count * (to.length - from.length);
  checkLength(length);
  budget.spend(count);
  budget.spendText(length);
  return count === 0 ? text : text.replaceAll(from, () => to);
}
/** A valid name for a map: names beyond the limit would have to be read completely to be compared. */
export function checkedName(name: string): string {
  if (name.length > NAME_CHARS_MAX) throw new ScriptRunError('The name of a property is too long');
  return name;
}
export function checkedSize<T extends Value[] | Map<string, Value>>(container: T): T {
  const size = Array.isArray(container) ? container.length : container.size;
  if (size > ENTRY_COUNT_MAX) throw new ScriptRunError(`Size of ${typeName(container)} too large`);
  return container;
}

function isOrdered(operator: string, order: number | undefined): boolean {
  if (order === undefined) return false;
  if (operator === '<') return order < 0;
  if (operator === '>') return order > 0;
  return operator === '<=' ? order <= 0 : order >= 0;
}

function contains(container: Value, item: Value, budget: Budget): boolean {
  if (Array.isArray(container)) return container.some((each) => areEqual(each, item, budget));
  if (container instanceof Map) return typeof item === 'string' && container.has(item);
  if (typeof container === 'string') {
    if (typeof item !== 'string') return false;
    budget.spendSearch(container, item);
    return container.includes(item);
  }
  if (container instanceof Range)
    return typeof item === 'bigint' && item >= container.from && (container.to === null || item < container.to);
  throw new ScriptRunError(`Function not found: in (${typeName(item)}, ${typeName(container)})`);
}

function rangeOf(from: Value, to: Value, isInclusive: boolean): Range {
  if (typeof from !== 'bigint' || (to !== null && typeof to !== 'bigint'))
    throw new ScriptRunError('A range goes from integer to integer');
  return new Range(from, to === null ? null : isInclusive ? to + 1n : to);
}

function calculate(operator: string, left: Value, right: Value, budget: Budget): Value {
  if (operator === '+') {
    const sum = join(left, right, budget);
    if (sum !== undefined) return sum;
  }
  if (operator === '-' && typeof left === 'string' && typeof right === 'string')
    return replaceAll(left, right, '', budget);
  const isFloat = isUnsigned(left) || isUnsigned(right);
  if (!isFloat && typeof left === 'bigint' && typeof right === 'bigint') return calculateInt(operator, left, right);
  if (typeof left === 'boolean' && typeof right === 'boolean') {
    if (operator === '&') return left && right;
    if (operator === '|') return left || right;
    if (operator === '^') return left !== right;
  }
  const areNumbers = [left, right].every((value) => typeof value === 'bigint' || typeof value === 'number');
  const result = areNumbers ? calculateFloat(operator, Number(left), Number(right)) : undefined;
  if (result === undefined)
    throw new ScriptRunError(`Function not found: ${operator} (${typeName(left)}, ${typeName(right)})`);
  return result;
}

/** The result of `+` for strings, arrays and maps; undefined when neither operand is one. */
function join(left: Value, right: Value, budget: Budget): Value | undefined {
  if (typeof left === 'string' || typeof right === 'string')
    return joinTexts([toText(left, budget), toText(right, budget)], budget);
  if (Array.isArray(left)) {
    budget.spend((left.length + (Array.isArray(right) ? right.length : 1)) / ENTRIES_PER_OPERATION);
    return checkedSize(Array.isArray(right) ? [...left, ...right] : [...left, right]);
  }
  if (left instanceof Map && right instanceof Map) {
    budget.spend((left.size + right.size) / ENTRIES_PER_OPERATION);
    return checkedSize(new Map([...left, ...right]));
  }
  return undefined;
}

function calculateInt(operator: string, left: bigint, right: bigint): bigint {
  switch (operator) {
    case '+':
      return checkedInt(left + right, 'Addition');
    case '-':
      return checkedInt(left - right, 'Subtraction');
    case '*':
      return checkedInt(left * right, 'Multiplication');
    case '/':
      if (right === 0n) throw new ScriptRunError(`Division by zero: ${left} / 0`);
      return checkedInt(left / right, 'Division');
    case '%':
      if (right === 0n) throw new ScriptRunError(`Modulo division by zero: ${left} % 0`);
      return left % right;
    case '**':
      if (right < 0n) throw new ScriptRunError('Integer raised to a negative power');
      if (right > 64n && left !== 0n && left !== 1n && left !== -1n) throw new ScriptRunError('Exponential overflow');
      return checkedInt(left ** (right > 64n ? right % 2n : right), 'Exponential');
    case '&':
      return left & right;
    case '|':
      return left | right;
    case '^':
      return left ^ right;
    case '<<':
      return BigInt.asIntN(64, right < 0n ? left >> shift(-right) : left << shift(right));
    case '>>':
      return BigInt.asIntN(64, right < 0n ? left << shift(-right) : left >> shift(right));
    default:
      throw new ScriptRunError(`Function not found: ${operator} (i64, i64)`);
  }
}

function shift(count: bigint): bigint {
  return count > 64n ? 64n : count;
}

function calculateFloat(operator: string, left: number, right: number): number | undefined {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    case '**':
      return left ** right;
    default:
      return undefined;
  }
}
