import { LaunchError } from '@fossick/instance';

/** A move that cannot begin or continue; its message is for the terminal. */
export class MoveError extends LaunchError {}

/** An error answer of an instance; `code` is empty where the body has none. */
export class RefusalError extends MoveError {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** An answer that exceeds its limit. */
export class AnswerTooLongError extends MoveError {}
