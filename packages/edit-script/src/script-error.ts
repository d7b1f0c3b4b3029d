/** Where something stands in a script, both counted from 1. */
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

/** The longest message kept: a script may throw a text of its own making. */
const MESSAGE_CHARS_MAX = 1_000;

/** A message as it is stored and shown. */
export function shortened(message: string): string {
  return message.length <= MESSAGE_CHARS_MAX ? message : `${message.slice(0, MESSAGE_CHARS_MAX)}…`;
}

/** The script went wrong while it ran, or asked for more than it may have. */
export class ScriptRunError extends Error {
  constructor(message: string, position?: Position) {
    super(`${message}${at(position)}`);
  }
}

/** The script used up what it may have: it cannot catch this and go on. */
export class ScriptStopError extends ScriptRunError {}
