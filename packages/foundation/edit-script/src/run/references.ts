import { GETTERS, type Outcome } from '../methods/methods.js';
import { type Position, ScriptRunError } from '../syntax/script-error.js';
import type { Node } from '../syntax/tree.js';
import type { Budget } from '../values/budget.js';
import { charAt, charCount, charsBetween, offsetOf } from '../values/char-offsets.js';
import { checkedName, checkedSize } from '../values/operators.js';
import { Range, type Scope, type Value, type Variable } from '../values/value.js';
import { typeName } from '../values/values.js';
import type { Evaluation } from './evaluation.js';
import { located } from './signals.js';

/** An assignment target: resolved once, so that its parts are evaluated once. */
export interface Reference {
  readonly read: () => Value;
  readonly write: (value: Value) => void;
  /** Throws when it cannot be assigned: called before anything is changed. */
  readonly check: () => void;
}

function variableReference(variable: Variable, name: string, position: Position): Reference {
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
export function item(target: Value, key: Value, position: Position, budget: Budget): Value {
  if (target instanceof Map && typeof key === 'string') return target.get(key) ?? null;
  if (typeof target === 'string') return textItem(target, key, position, budget);
  if (Array.isArray(target) && key instanceof Range)
    return target.slice(Number(key.from), key.to === null ? undefined : Number(key.to));
  if (Array.isArray(target) && typeof key === 'bigint') {
    const found = target.at(Number(key));
    if (found !== undefined) return found;
    throw new ScriptRunError(`Index ${key} is out of bounds: there are ${target.length}`, position);
  }
  throw new ScriptRunError(`A ${typeName(target)} has no item of ${typeName(key)}`, position);
}

function textItem(text: string, key: Value, position: Position, budget: Budget): string {
  if (key instanceof Range) return textRange(text, key, budget);
  if (typeof key !== 'bigint')
    throw new ScriptRunError(`A ${typeName(text)} has no item of ${typeName(key)}`, position);
  const at = Number(key) < 0 ? charCount(text, budget) + Number(key) : Number(key);
  const found = at < 0 ? undefined : charAt(text, offsetOf(text, at, budget));
  if (found !== undefined) return found;
  throw new ScriptRunError(`Index ${key} is out of bounds: there are ${charCount(text, budget)}`, position);
}

/** Negative indexes count from the end, as for arrays. */
function textRange(text: string, { from, to }: Range, budget: Budget): string {
  const isFromEnd = from < 0n || (to !== null && to < 0n);
  const count = isFromEnd ? charCount(text, budget) : 0;
  const placed = (at: bigint): number => (at < 0n ? Math.max(0, count + Number(at)) : Number(at));
  return charsBetween(text, placed(from), to === null ? text.length : placed(to), budget);
}

/** The container with one item replaced, in place: assigned containers are never shared. */
function withItem(target: Value, key: Value, value: Value, position: Position): Value {
  if (target instanceof Map && typeof key === 'string') {
    target.set(checkedName(key), value);
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

/** The references of a running script. */
export class References {
  private readonly evaluation: Evaluation;
  private readonly callBuiltin: (name: string, args: readonly Value[]) => Outcome;

  /** @param callBuiltin calls a function that is no script's, for properties that are computed */
  constructor(evaluation: Evaluation, callBuiltin: (name: string, args: readonly Value[]) => Outcome) {
    this.evaluation = evaluation;
    this.callBuiltin = callBuiltin;
  }

  /** The reference of an assignment target. Anything but variables, properties and items can only be read. */
  of(node: Node, scope: Scope): Reference {
    if (node.kind === 'variable')
      return variableReference(scope.existing(node.name, node.position), node.name, node.position);
    if (node.kind !== 'property' && node.kind !== 'index') {
      const value = this.evaluation.evaluate(node, scope);
      return { read: () => value, write: () => undefined, check: () => undefined };
    }
    const outer = this.within(node.target, scope);
    const target = outer.read();
    if (target === null && node.isOptional) return { ...outer, read: () => null, write: () => undefined };
    const key = node.kind === 'property' ? node.name : this.evaluation.evaluate(node.index, scope);
    const { position } = node;
    return {
      read: () =>
        node.kind === 'property'
          ? this.property(target, node.name, position)
          : item(target, key, position, this.evaluation.budget),
      check: outer.check,
      write: (value) => {
        outer.check();
        outer.write(withItem(target, key, value, position));
      },
    };
  }

  private within(node: Node, scope: Scope): Reference {
    this.evaluation.enter(node);
    const reference = this.of(node, scope);
    this.evaluation.depth -= 1;
    return reference;
  }

  private property(target: Value, name: string, position: Position): Value {
    if (target instanceof Map) return target.get(name) ?? null;
    if (GETTERS.has(name)) return located(position, () => this.callBuiltin(name, [target]).value);
    throw new ScriptRunError(`Unknown property '${name}' of ${typeName(target)}`, position);
  }
}
