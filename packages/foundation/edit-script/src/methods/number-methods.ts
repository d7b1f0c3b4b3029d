import { checkedText } from '../values/operators.js';
import { FunctionValue, type Value } from '../values/value.js';
import { checkedInt, compare, toDebugText, toText, typeName } from '../values/values.js';
import { type Builtin, yields } from './methods.js';

const isNumber = (value: Value | undefined): value is bigint | number =>
  typeof value === 'bigint' || typeof value === 'number';

/** A function of floats: integers are not accepted, as in the language. */
const float =
  (calculate: (value: number) => number): Builtin =>
  ([self]) =>
    typeof self === 'number' ? yields(calculate(self)) : undefined;
const least =
  (sign: 1 | -1): Builtin =>
  ([left, right], { budget }) => {
    const order = left === undefined || right === undefined ? undefined : compare(left, right, budget);
    return order === undefined ? undefined : yields(order * sign <= 0 ? left! : right!);
  };
const inBase =
  (base: number): Builtin =>
  ([self]) =>
    typeof self === 'bigint' ? yields(BigInt.asUintN(64, self).toString(base)) : undefined;

const toInt: Builtin = ([self]) => {
  if (typeof self === 'bigint') return yields(checkedInt(self, 'Conversion'));
  if (typeof self !== 'number' || !Number.isFinite(self)) return undefined;
  return yields(checkedInt(BigInt(Math.trunc(self)), 'Conversion'));
};

/** The integers of `range(from, to[, step])`. */
const range: Builtin = ([from, to, step], { budget }) => {
  const by = step ?? 1n;
  if (typeof from !== 'bigint' || typeof to !== 'bigint' || typeof by !== 'bigint' || by === 0n) return undefined;
  const count = (to - from + (by > 0n ? by - 1n : by + 1n)) / by;
  const length = count < 0n ? 0 : Number(count > 1_000_000n ? 1_000_000n : count);
  budget.spend(length);
  return yields(Array.from({ length }, (_, at) => from + BigInt(at) * by));
};

/** Functions of numbers and of any value, by name. */
export const NUMBER_METHODS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['abs', ([self]) => (isNumber(self) ? yields(self < 0 ? (-self as bigint | number) : self) : undefined)],
  ['sign', ([self]) => (isNumber(self) ? yields(self > 0 ? 1n : self < 0 ? -1n : 0n) : undefined)],
  ['is_zero', ([self]) => (isNumber(self) ? yields(Number(self) === 0) : undefined)],
  ['is_odd', ([self]) => (typeof self === 'bigint' ? yields(self % 2n !== 0n) : undefined)],
  ['is_even', ([self]) => (typeof self === 'bigint' ? yields(self % 2n === 0n) : undefined)],
  ['is_nan', ([self]) => (typeof self === 'number' ? yields(Number.isNaN(self)) : undefined)],
  ['is_finite', ([self]) => (typeof self === 'number' ? yields(Number.isFinite(self)) : undefined)],
  ['is_infinite', ([self]) => (typeof self === 'number' ? yields(Math.abs(self) === Infinity) : undefined)],
  ['to_int', toInt],
  ['to_float', ([self]) => (isNumber(self) ? yields(Number(self)) : undefined)],
  ['floor', float(Math.floor)],
  ['ceiling', float(Math.ceil)],
  ['round', float((value) => Math.sign(value) * Math.round(Math.abs(value)))],
  ['int', float(Math.trunc)],
  ['fraction', float((value) => value - Math.trunc(value))],
  ['sqrt', float(Math.sqrt)],
  ['exp', float(Math.exp)],
  ['ln', float(Math.log)],
  [
    'log',
    ([self, base]) => (typeof self === 'number' ? yields(Math.log(self) / Math.log(Number(base ?? 10n))) : undefined),
  ],
  ['sin', float(Math.sin)],
  ['cos', float(Math.cos)],
  ['tan', float(Math.tan)],
  ['min', least(1)],
  ['max', least(-1)],
  ['to_hex', inBase(16)],
  ['to_octal', inBase(8)],
  ['to_binary', inBase(2)],
  ['PI', (args) => (args.length === 0 ? yields(Math.PI) : undefined)],
  ['E', (args) => (args.length === 0 ? yields(Math.E) : undefined)],
  ['range', range],
  ['to_string', ([self], { budget }) => (self === undefined ? undefined : yields(checkedText(toText(self, budget))))],
  [
    'to_debug',
    ([self], { budget }) => (self === undefined ? undefined : yields(checkedText(toDebugText(self, budget)))),
  ],
  ['type_of', ([self]) => (self === undefined ? undefined : yields(typeName(self)))],
  ['print', () => yields(null)],
  ['debug', () => yields(null)],
  ['Fn', ([name]) => (typeof name === 'string' ? yields(new FunctionValue(name, null, null, null)) : undefined)],
  ['call', ([fn, ...args], caller) => (fn instanceof FunctionValue ? yields(caller.invoke(fn, args)) : undefined)],
  ['name', ([fn]) => (fn instanceof FunctionValue ? yields(fn.name) : undefined)],
]);
