/** Exceptions within a running script: exits of loops and functions, and errors. */
import { type Position, ScriptRunError } from '../syntax/script-error.js';
import type { Value } from '../values/value.js';

export class BreakSignal {
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}
export class ContinueSignal {}
export class ReturnSignal {
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}
/** An error thrown by the script itself. */
export class ThrownValue extends ScriptRunError {
  readonly value: Value;

  constructor(value: Value, text: string, position: Position) {
    super(`Runtime error: ${text}`, position);
    this.value = value;
  }
}

/** Adds the position to an error that has none yet. */
export function located<T>(position: Position, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ScriptRunError) || error instanceof ThrownValue || error.message.includes(' (line '))
      throw error;
    throw new ScriptRunError(error.message, position);
  }
}
