import { toJsonText } from '@fossick/documents';
import type { Budget } from '../values/budget.js';
import { checkedName, checkedSize, TEXT_CHARS_MAX } from '../values/operators.js';
import { FunctionValue, type ScriptMap, type Value } from '../values/value.js';
import { DocumentSize, toJson } from '../values/values.js';
import { type Builtin, type Caller, changes, type Outcome, yields } from './methods.js';

type MapMethod = (map: ScriptMap, args: readonly Value[], caller: Caller) => Outcome | undefined;

/** The entries whose name and value pass. */
function passing(map: ScriptMap, fn: FunctionValue, caller: Caller): ScriptMap {
  const test = (entry: [string, Value]): boolean =>
    caller.invoke(fn, entry.slice(0, fn.params?.length ?? 2) as Value[]) === true;
  return new Map([...map].filter(test));
}
const without = (map: ScriptMap, names: ReadonlyMap<string, Value>): ScriptMap =>
  new Map([...map].filter(([name]) => !names.has(name)));
/** Characters of names that are sorted at the price of a step. */
const NAME_CHARS_PER_OPERATION = 4;
/** Names in the order of a document. */
const names = (map: ScriptMap, budget: Budget): string[] => {
  const all = [...map.keys()];
  // names of up to this length are compared some 14 times each
  budget.spend(all.length);
  for (const name of all) budget.spend(name.length / NAME_CHARS_PER_OPERATION);
  return all.sort();
};

function jsonText(map: ScriptMap, budget: Budget): string {
  // a character may take six as JSON
  const value = toJson(map, new DocumentSize(Math.min(TEXT_CHARS_MAX / 6, budget.left)));
  const text = toJsonText(value);
  budget.spend(text.length / NAME_CHARS_PER_OPERATION);
  return text;
}

const METHODS: Readonly<Record<string, MapMethod>> = {
  len: (map) => yields(BigInt(map.size)),
  is_empty: (map) => yields(map.size === 0),
  contains: (map, [name]) => (typeof name === 'string' ? yields(map.has(name)) : undefined),
  get: (map, [name]) => (typeof name === 'string' ? yields(map.get(name) ?? null) : undefined),
  set: (map, [name, value]) =>
    typeof name === 'string' ? changes(checkedSize(new Map([...map, [checkedName(name), value ?? null]]))) : undefined,
  remove: (map, [name]) => {
    if (typeof name !== 'string') return undefined;
    return map.has(name) ? changes(without(map, new Map([[name, null]])), map.get(name) ?? null) : yields(null);
  },
  clear: () => changes(new Map()),
  keys: (map, _, { budget }) => yields(names(map, budget)),
  values: (map, _, { budget }) => yields(names(map, budget).map((name) => map.get(name)!)),
  mixin: (map, [other]) => (other instanceof Map ? changes(checkedSize(new Map([...map, ...other]))) : undefined),
  fill_with: (map, [other]) => (other instanceof Map ? changes(checkedSize(new Map([...other, ...map]))) : undefined),
  filter: (map, [fn], caller) => (fn instanceof FunctionValue ? yields(passing(map, fn, caller)) : undefined),
  retain: (map, [fn], caller) => {
    if (!(fn instanceof FunctionValue)) return undefined;
    const kept = passing(map, fn, caller);
    return changes(kept, without(map, kept));
  },
  drain: (map, [fn], caller) => {
    if (!(fn instanceof FunctionValue)) return undefined;
    const taken = passing(map, fn, caller);
    return changes(without(map, taken), taken);
  },
  to_json: (map, _, { budget }) => yields(jsonText(map, budget)),
};

/** Functions of maps, by name. */
export const MAP_METHODS: ReadonlyMap<string, Builtin> = new Map(
  Object.entries(METHODS).map(([name, method]): [string, Builtin] => [
    name,
    ([self, ...args], caller) => (self instanceof Map ? method(self, args, caller) : undefined),
  ]),
);
