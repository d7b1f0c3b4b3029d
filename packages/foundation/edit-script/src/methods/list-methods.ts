import { checkedSize } from '../values/operators.js';
import { FunctionValue, Range, type Value } from '../values/value.js';
import { areEqual, compare } from '../values/values.js';
import { type Builtin, type Caller, changes, countOf, type Outcome, referenceIn, yields } from './methods.js';

type ListMethod = (list: Value[], args: readonly Value[], caller: Caller) => Outcome | undefined;
const isFunction = (value: Value | undefined): value is FunctionValue => value instanceof FunctionValue;

/** Calls a closure with as many of the arguments as it has parameters. */
function invoke(caller: Caller, fn: FunctionValue, ...args: Value[]): Value {
  return caller.invoke(fn, args.slice(0, fn.params?.length ?? 1));
}
const holds = (caller: Caller, fn: FunctionValue, item: Value, at: number): boolean =>
  invoke(caller, fn, item, BigInt(at)) === true;

function span(
  list: readonly Value[],
  start: Value | undefined,
  count: Value | undefined,
): [number, number] | undefined {
  if (start instanceof Range)
    return [referenceIn(list.length, Number(start.from)), start.to === null ? list.length : Number(start.to)];
  const at = countOf(start);
  const length = count === undefined ? list.length : countOf(count);
  if (at === undefined || length === undefined) return undefined;
  const from = referenceIn(list.length, at);
  return [from, from + Math.max(0, length)];
}

function sorted(list: readonly Value[], by: Value | undefined, caller: Caller): Value[] {
  return [...list].sort((left, right) => {
    caller.budget.spend();
    if (!isFunction(by)) return compare(left, right, caller.budget) ?? 0;
    return Number(caller.invoke(by, [left, right]));
  });
}

function reduce(list: readonly Value[], [fn, initial]: readonly Value[], caller: Caller): Outcome | undefined {
  if (!isFunction(fn)) return undefined;
  let sum = isFunction(initial) ? caller.invoke(initial, []) : (initial ?? null);
  list.forEach((item, at) => {
    sum = invoke(caller, fn, sum, item, BigInt(at));
  });
  return yields(sum);
}

/** Removes the items that pass, or those that do not. */
function withdraw(isKept: (passes: boolean) => boolean): ListMethod {
  return (list, [fn], caller) => {
    if (!isFunction(fn)) return undefined;
    const [kept, taken]: [Value[], Value[]] = [[], []];
    list.forEach((item, at) => {
      (isKept(holds(caller, fn, item, at)) ? kept : taken).push(item);
    });
    return changes(kept, taken);
  };
}

const METHODS: Readonly<Record<string, ListMethod>> = {
  len: (list) => yields(BigInt(list.length)),
  is_empty: (list) => yields(list.length === 0),
  push: (list, [item]) => (item === undefined ? undefined : changes(checkedSize([...list, item]))),
  append: (list, [more]) => (Array.isArray(more) ? changes(checkedSize([...list, ...more])) : undefined),
  insert: (list, [at, item]) => {
    const index = countOf(at);
    if (index === undefined || item === undefined) return undefined;
    return changes(checkedSize(list.toSpliced(referenceIn(list.length, index), 0, item)));
  },
  pop: (list) => changes(list.slice(0, -1), list.at(-1) ?? null),
  shift: (list) => changes(list.slice(1), list[0] ?? null),
  remove: (list, [at]) => {
    const index = countOf(at);
    if (index === undefined) return undefined;
    const found = list.at(index);
    return found === undefined ? yields(null) : changes(list.toSpliced(index, 1), found);
  },
  clear: () => changes([]),
  truncate: (list, [count]) => {
    const length = countOf(count);
    return length === undefined ? undefined : changes(list.slice(0, Math.max(0, length)));
  },
  chop: (list, [count]) => {
    const length = countOf(count);
    return length === undefined ? undefined : changes(length <= 0 ? [] : list.slice(-length));
  },
  extract: (list, [start, count]) => {
    const found = span(list, start, count);
    return found && yields(list.slice(...found));
  },
  contains: (list, [item], { budget }) => yields(list.some((each) => areEqual(each, item ?? null, budget))),
  index_of: (list, [item], caller) => {
    const isWanted = (each: Value, at: number): boolean =>
      isFunction(item) ? holds(caller, item, each, at) : areEqual(each, item ?? null, caller.budget);
    return yields(BigInt(list.findIndex(isWanted)));
  },
  find: (list, [fn], caller) =>
    isFunction(fn) ? yields(list.find((item, at) => holds(caller, fn, item, at)) ?? null) : undefined,
  map: (list, [fn], caller) =>
    isFunction(fn) ? yields(list.map((item, at) => invoke(caller, fn, item, BigInt(at)))) : undefined,
  filter: (list, [fn], caller) =>
    isFunction(fn) ? yields(list.filter((item, at) => holds(caller, fn, item, at))) : undefined,
  some: (list, [fn], caller) =>
    isFunction(fn) ? yields(list.some((item, at) => holds(caller, fn, item, at))) : undefined,
  all: (list, [fn], caller) =>
    isFunction(fn) ? yields(list.every((item, at) => holds(caller, fn, item, at))) : undefined,
  for_each: (list, [fn], caller) => {
    if (!isFunction(fn)) return undefined;
    list.forEach((item, at) => {
      invoke(caller, fn, item, BigInt(at));
    });
    return yields(null);
  },
  reduce,
  reduce_rev: (list, args, caller) => reduce(list.toReversed(), args, caller),
  retain: withdraw((passes) => passes),
  drain: withdraw((passes) => !passes),
  reverse: (list) => changes(list.toReversed()),
  sort: (list, [by], caller) => changes(sorted(list, by, caller)),
  order: (list, [by], caller) => yields(sorted(list, by, caller)),
  dedup: (list, _, { budget }) =>
    changes(list.filter((item, at) => at === 0 || !areEqual(item, list[at - 1]!, budget))),
  split: (list, [at]) => {
    const index = countOf(at);
    if (index === undefined) return undefined;
    const cut = referenceIn(list.length, index);
    return changes(list.slice(0, cut), list.slice(cut));
  },
};

/** Functions of arrays, by name. */
export const LIST_METHODS: ReadonlyMap<string, Builtin> = new Map(
  Object.entries(METHODS).map(([name, method]): [string, Builtin] => [
    name,
    ([self, ...args], caller) => (Array.isArray(self) ? method(self, args, caller) : undefined),
  ]),
);
