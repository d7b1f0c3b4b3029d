import { DEFAULT_PAYLOAD_BYTES, inOrder, memberEntries } from '@fossick/base';
import { floatOf, LosslessFloat } from '@fossick/documents';
import { ScriptRunError } from '../syntax/script-error.js';
import type { Budget } from './budget.js';
import { FunctionValue, Range, type ScriptMap, type Value } from './value.js';

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;
const NESTING_MAX = 64;
/** Deeper values are not copied, and so not kept: what walks a value calls itself level by level. */
const VALUE_DEPTH_MAX = 200;

export function typeName(value: Value): string {
  if (value === null) return '()';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Map) return 'map';
  if (value instanceof Range) return 'range';
  if (value instanceof FunctionValue) return 'Fn';
  if (isUnsigned(value)) return 'u64';
  return { bigint: 'i64', number: 'f64', boolean: 'bool', string: 'string' }[typeof value as string] ?? 'unknown';
}

/** An integer of a document that needs all 64 bits: it is kept and compared with all its digits, and calculated with as a float. */
export function isUnsigned(value: Value): value is bigint {
  return typeof value === 'bigint' && value > INT_MAX;
}

/** The integer when 64 bits hold it; throws otherwise. */
export function checkedInt(value: bigint, what: string): bigint {
  if (value < INT_MIN || value > INT_MAX) throw new ScriptRunError(`${what} overflow`);
  return value;
}

/** Characters that a script's document may come to: more than any request brings. The same text may be in it any number of times. */
const DOCUMENT_CHARS_MAX = 2 * DEFAULT_PAYLOAD_BYTES;

/** A JSON value as a script sees it. */
export function fromJson(value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return value;
  if (value instanceof LosslessFloat) return value.valueOf();
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(fromJson);
  return new Map(memberEntries(value as Record<string, unknown>).map(([name, member]) => [name, fromJson(member)]));
}

/** Adds up the characters of a document, and throws when there are too many. */
export class DocumentSize {
  private left: number;

  constructor(left = DOCUMENT_CHARS_MAX) {
    this.left = left;
  }
  take(chars: number): void {
    this.left -= chars;
    if (this.left < 0) throw new ScriptRunError('The document becomes too large');
  }
}

/** The JSON value of a script's value; integers beyond 2^53 stay bigint. Throws for functions and ranges. */
export function toJson(value: Value, size: DocumentSize, depth = 0): unknown {
  size.take(typeof value === 'string' ? value.length + 2 : 2);
  if (depth > NESTING_MAX) throw new ScriptRunError('A document cannot be nested that deeply');
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value === 'number') return Number.isFinite(value) ? floatOf(value) : null;
  if (Array.isArray(value)) return value.map((item) => toJson(item, size, depth + 1));
  if (value instanceof Map) {
    const object: Record<string, unknown> = {};
    // a plain assignment of this name would change the prototype
    for (const [name, member] of value) {
      size.take(name.length);
      Object.defineProperty(object, name, { value: toJson(member, size, depth + 1), ...OWN });
    }
    return inOrder(object, [...value.keys()]);
  }
  if (value instanceof Range || value instanceof FunctionValue)
    throw new ScriptRunError(`A ${typeName(value)} cannot be part of a document`);
  return value;
}
const OWN = { writable: true, enumerable: true, configurable: true };

/** The text of a value, as in a template string. A string is itself, and costs nothing. */
export function toText(value: Value, budget: Budget): string {
  if (value === null) return '';
  if (typeof value === 'number') return floatText(value);
  if (typeof value === 'object') return toDebugText(value, budget);
  return String(value);
}
export function toDebugText(value: Value, budget: Budget): string {
  budget.spend();
  const quoted = (text: string): string => {
    budget.spendText(text.length);
    return JSON.stringify(text);
  };
  if (value === null) return '()';
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map((item) => toDebugText(item, budget)).join(', ')}]`;
  if (value instanceof Map)
    return `#{${[...value].map(([name, member]) => `${quoted(name)}: ${toDebugText(member, budget)}`).join(', ')}}`;
  if (value instanceof Range) return `${value.from}..${value.to ?? ''}`;
  if (value instanceof FunctionValue) return `Fn(${value.name})`;
  return toText(value, budget);
}
function floatText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e16 ? `${value}.0` : String(value);
}

/** A copy that shares nothing with the original. Throws for values nested deeper than a script may nest them. */
export function copyOf(value: Value, budget: Budget, depth = 0): Value {
  if (!Array.isArray(value) && !(value instanceof Map)) return value;
  if (depth > VALUE_DEPTH_MAX) throw new ScriptRunError('A value is nested too deeply');
  budget.spend(Array.isArray(value) ? value.length : value.size);
  if (Array.isArray(value)) return value.map((item) => copyOf(item, budget, depth + 1));
  const copy: ScriptMap = new Map();
  for (const [name, member] of value) copy.set(name, copyOf(member, budget, depth + 1));
  return copy;
}

export function areEqual(left: Value, right: Value, budget: Budget): boolean {
  budget.spend();
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length === right.length) budget.spendCompared(left, right);
    return left === right;
  }
  if (typeof left === 'bigint' && typeof right === 'number') return Number(left) === right;
  if (typeof left === 'number' && typeof right === 'bigint') return left === Number(right);
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, at) => areEqual(item, right[at]!, budget));
  if (left instanceof Map && right instanceof Map)
    return (
      left.size === right.size &&
      [...left].every(([name, member]) => right.has(name) && areEqual(member, right.get(name)!, budget))
    );
  if (left instanceof Range && right instanceof Range) return left.from === right.from && left.to === right.to;
  return left === right;
}

/** Less than zero, zero or more; undefined when the two have no order. */
export function compare(left: Value, right: Value, budget: Budget): number | undefined {
  if (isNumeric(left) && isNumeric(right)) return left < right ? -1 : left > right ? 1 : left >= right ? 0 : undefined;
  if (typeof left === 'string' && typeof right === 'string') {
    budget.spendCompared(left, right);
    return left < right ? -1 : left > right ? 1 : 0;
  }
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  return undefined;
}
function isNumeric(value: Value): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}
