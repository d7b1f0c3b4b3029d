import type { Budget } from '../values/budget.js';
import type { FunctionValue, Value } from '../values/value.js';

/** What built-in functions may use of the running script. */
export interface Caller {
  /** Calls a closure or a function of the script. */
  invoke(fn: FunctionValue, args: readonly Value[]): Value;
  /** The remaining budget: functions charge for their work in advance. */
  readonly budget: Budget;
}

/** The result of a call. `self` is the changed receiver, if the function changes it. */
export interface Outcome {
  readonly value: Value;
  readonly self?: Value;
}

/**
 * A built-in function: returns undefined when it does not accept these arguments. The receiver is the first of them.
 */
export type Builtin = (args: readonly Value[], caller: Caller) => Outcome | undefined;

export const yields = (value: Value): Outcome => ({ value });
/** Changes the receiver; the call itself yields `()` or the given value. */
export const changes = (self: Value, value: Value = null): Outcome => ({ value, self });

/** The integer of an argument, or undefined when it is none. */
export function countOf(value: Value | undefined): number | undefined {
  return typeof value === 'bigint' ? Number(value) : undefined;
}

/** An index into a list of `length` items: negative ones count from the end; clamped to the list. */
export function referenceIn(length: number, at: number): number {
  return Math.min(length, Math.max(0, at < 0 ? length + at : at));
}

/** Functions that can be called like a property. */
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
