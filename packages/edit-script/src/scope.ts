import { type Position, ScriptRunError } from './script-error.js';
import type { Value } from './values.js';

const VARIABLE_COUNT_MAX = 1_000;

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
