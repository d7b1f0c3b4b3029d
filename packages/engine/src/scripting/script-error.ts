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

/** The script went wrong while it ran, or asked for more than it may have. */
export class ScriptRunError extends Error {
  constructor(message: string, position?: Position) {
    super(`${message}${at(position)}`);
  }
}
