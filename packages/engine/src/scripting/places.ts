import { checkedSize } from './operators.js';
import type { Variable } from './scope.js';
import { type Position, ScriptRunError } from './script-error.js';
import { Range, typeName, type Value } from './values.js';

/** Something that can be assigned to: read once, so that its parts are evaluated once. */
export interface Place {
  readonly read: () => Value;
  readonly write: (value: Value) => void;
  /** Throws when nothing may be written here: before anything is changed. */
  readonly check: () => void;
}

export function variablePlace(variable: Variable, name: string, position: Position): Place {
  const check = (): void => {
    if (variable.isConstant) throw new ScriptRunError(`Cannot modify constant ${name}`, position);
  };
  return {
    read: () => variable.value,
    check,
    write: (value) => {
      check();
      variable.value = value;
    },
  };
}

/** Reads an item; throws when there is none. */
export function item(target: Value, key: Value, position: Position): Value {
  if (target instanceof Map && typeof key === 'string') return target.get(key) ?? null;
  if (Array.isArray(target) || typeof target === 'string') {
    const items = typeof target === 'string' ? [...target] : target;
    if (key instanceof Range) {
      const part = items.slice(Number(key.from), key.to === null ? undefined : Number(key.to));
      return typeof target === 'string' ? part.join('') : part;
    }
    if (typeof key === 'bigint') {
      const found = items.at(Number(key));
      if (found !== undefined) return found;
      throw new ScriptRunError(`Index ${key} is out of bounds: there are ${items.length}`, position);
    }
  }
  throw new ScriptRunError(`A ${typeName(target)} has no item of ${typeName(key)}`, position);
}

/** The container with one item replaced: changed in place, because assigned containers are never shared. */
export function withItem(target: Value, key: Value, value: Value, position: Position): Value {
  if (target instanceof Map && typeof key === 'string') {
    target.set(key, value);
    return checkedSize(target);
  }
  if (Array.isArray(target) && typeof key === 'bigint') {
    const at = Number(key) < 0 ? target.length + Number(key) : Number(key);
    if (at < 0 || at >= target.length)
      throw new ScriptRunError(`Index ${key} is out of bounds: there are ${target.length}`, position);
    target[at] = value;
    return target;
  }
  throw new ScriptRunError(`An item of a ${typeName(target)} cannot be assigned`, position);
}
