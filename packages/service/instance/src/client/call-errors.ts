import { LaunchError } from '../configuration/launch-error.js';

/** A call that got no usable answer; its message is for the terminal. */
export class CallError extends LaunchError {}

/** An error answer of an instance; `code` is empty where the body has none. */
export class RefusalError extends CallError {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** An answer that exceeds its limit. */
export class AnswerTooLongError extends CallError {}
