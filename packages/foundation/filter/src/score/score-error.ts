/** A score expression is malformed or over a limit; the message says where and what is accepted. */
export class ScoreError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ScoreError';
  }
}
