/** What a script computes with, and where its variables stand. */
import { type Position, ScriptRunError } from '../syntax/script-error.js';
import type { Node } from '../syntax/tree.js';

const VARIABLE_COUNT_MAX = 1_000;

/** Integers are bigint (64 bits, signed; those of documents also unsigned), floats are number, null is the unit `()`. Arrays and maps are copied when assigned. */
export type Value = null | boolean | bigint | number | string | Value[] | ScriptMap | Range | FunctionValue;

export type ScriptMap = Map<string, Value>;

export class Range {
  readonly from: bigint;
  /** Exclusive; null goes on to the end of what is cut. */
  readonly to: bigint | null;

  constructor(from: bigint, to: bigint | null) {
    this.from = from;
    this.to = to;
  }
}
/** A closure, or the name of a function of the script. */
export class FunctionValue {
  readonly name: string;
  readonly params: readonly string[] | null;
  readonly body: Node | null;
  readonly scope: Scope | null;

  constructor(name: string, params: readonly string[] | null, body: Node | null, scope: Scope | null) {
    this.name = name;
    this.params = params;
    this.body = body;
    this.scope = scope;
  }
}

export interface Variable {
  value: Value;
  readonly isConstant: boolean;
}

/** Variables of a block, and those around it. */
export class Scope {
  private readonly parent: Scope | null;
  private readonly variables = new Map<string, Variable>();

  constructor(parent: Scope | null = null) {
    this.parent = parent;
  }

  declare(name: string, value: Value, isConstant: boolean): void {
    if (this.variables.size >= VARIABLE_COUNT_MAX)
      throw new ScriptRunError(`A script has at most ${VARIABLE_COUNT_MAX} variables`);
    this.variables.set(name, { value, isConstant });
  }

  find(name: string): Variable | undefined {
    return this.variables.get(name) ?? this.parent?.find(name);
  }

  /** Throws when there is none. */
  existing(name: string, position: Position): Variable {
    const variable = this.find(name);
    if (variable === undefined) throw new ScriptRunError(`Variable not found: ${name}`, position);
    return variable;
  }
}
