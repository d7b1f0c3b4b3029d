/** A position in a script, both counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

const at = (position: Position | undefined): string =>
  position === undefined ? '' : ` (line ${position.line}, position ${position.column})`;

/** The text is no script of the language. */
export class ScriptSyntaxError extends Error {
  constructor(message: string, position?: Position) {
    super(`${message}${at(position)}`);
  }
}

/** The longest message: a script may throw a text of its own. */
const MESSAGE_CHARS_MAX = 1_000;

/** A message, shortened for storing and showing. */
export function shortened(message: string): string {
  return message.length <= MESSAGE_CHARS_MAX ? message : `${message.slice(0, MESSAGE_CHARS_MAX)}…`;
}

/** The script failed while it ran, or exceeded its limits. */
export class ScriptRunError extends Error {
  constructor(message: string, position?: Position) {
    super(`${message}${at(position)}`);
  }
}

/** The script exceeded its budget: it cannot catch this error. */
export class ScriptStopError extends ScriptRunError {}
