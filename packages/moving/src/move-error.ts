import { LaunchError } from '@fossick/configuration';

/** A move that cannot begin or go on; its message is for the terminal. */
export class MoveError extends LaunchError {}

/** An answer of an instance that says no; `code` is empty where the body has none. */
export class RefusalError extends MoveError {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** An answer that is longer than what was to be read of it. */
export class AnswerTooLongError extends MoveError {}
