import { toJsonText } from '../documents/json-number.js';
import { type Builtin, type Caller, changes, type Outcome, yields } from './methods.js';
import { checkedSize } from './operators.js';
import { FunctionValue, type ScriptMap, toJson, type Value } from './values.js';

type MapMethod = (map: ScriptMap, args: readonly Value[], caller: Caller) => Outcome | undefined;

/** The entries whose name and value pass. */
function passing(map: ScriptMap, fn: FunctionValue, caller: Caller): ScriptMap {
  const test = (entry: [string, Value]): boolean =>
    caller.invoke(fn, entry.slice(0, fn.params?.length ?? 2) as Value[]) === true;
  return new Map([...map].filter(test));
}
const without = (map: ScriptMap, names: ReadonlyMap<string, Value>): ScriptMap =>
  new Map([...map].filter(([name]) => !names.has(name)));
/** Names in the order in which a document shows them. */
const names = (map: ScriptMap): string[] => [...map.keys()].sort();

const METHODS: Readonly<Record<string, MapMethod>> = {
  len: (map) => yields(BigInt(map.size)),
  is_empty: (map) => yields(map.size === 0),
  contains: (map, [name]) => (typeof name === 'string' ? yields(map.has(name)) : undefined),
  get: (map, [name]) => (typeof name === 'string' ? yields(map.get(name) ?? null) : undefined),
  set: (map, [name, value]) =>
    typeof name === 'string' ? changes(checkedSize(new Map([...map, [name, value ?? null]]))) : undefined,
  remove: (map, [name]) => {
    if (typeof name !== 'string') return undefined;
    return map.has(name) ? changes(without(map, new Map([[name, null]])), map.get(name) ?? null) : yields(null);
  },
  clear: () => changes(new Map()),
  keys: (map) => yields(names(map)),
  values: (map) => yields(names(map).map((name) => map.get(name)!)),
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
  to_json: (map) => yields(toJsonText(toJson(map))),
};

/** Functions of maps, by name. */
export const MAP_METHODS: ReadonlyMap<string, Builtin> = new Map(
  Object.entries(METHODS).map(([name, method]): [string, Builtin] => [
    name,
    ([self, ...args], caller) => (self instanceof Map ? method(self, args, caller) : undefined),
  ]),
);
