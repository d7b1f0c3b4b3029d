import type { Budget } from './budget.js';
import type { FunctionValue, Value } from './value.js';

/** What a built-in function may ask of the running script. */
export interface Caller {
  /** Calls a closure or a function of the script. */
  invoke(fn: FunctionValue, args: readonly Value[]): Value;
  /** What it still may do: whatever a function touches is paid for first. */
  readonly budget: Budget;
}

/** What a call came to. `self` is the receiver as it is from now on, when the function changes it. */
export interface Outcome {
  readonly value: Value;
  readonly self?: Value;
}

/** A built-in function: undefined when it is not made for these arguments. The receiver is the first of them. */
export type Builtin = (args: readonly Value[], caller: Caller) => Outcome | undefined;

export const yields = (value: Value): Outcome => ({ value });
/** The receiver changes, and the call itself yields `()` or what is given. */
export const changes = (self: Value, value: Value = null): Outcome => ({ value, self });

/** The whole number of an argument, or undefined when it is none. */
export function countOf(value: Value | undefined): number | undefined {
  return typeof value === 'bigint' ? Number(value) : undefined;
}

/** A place in a list of `length` items: negative ones count from the end; cut to the list. */
export function referenceIn(length: number, at: number): number {
  return Math.min(length, Math.max(0, at < 0 ? length + at : at));
}

/** Functions that can be read like a property. */
export const GETTERS = new Set([
  'len',
  'bytes',
  'chars',
  'is_empty',
  'abs',
  'sign',
  'is_odd',
  'is_even',
  'is_zero',
  'floor',
  'round',
  'int',
]);
