import type { ServerResponse } from 'node:http';

/** How long a stopping server waits for clients to take the end of their answers, in ms. */
const STOP_MS = 2_000;

/**
 * Answers that are streamed for as long as both sides like. A connection that is still busy with one when the server closes would be kept
 * open behind it, and the server with it: so they are waited for, and those that nobody takes to their end are broken off.
 */
export class OpenAnswers {
  private readonly answers = new Set<ServerResponse>();
  private isEnding = false;

  /** To be called before anything is written to it. One that begins while the server stops is broken off at once. */
  add(response: ServerResponse): void {
    if (this.isEnding) return void response.destroy();
    this.answers.add(response);
    response.once('close', () => this.answers.delete(response));
  }

  /** Resolves when all are closed, after their ends were written: two seconds later at most. */
  async ended(): Promise<void> {
    this.isEnding = true;
    const ends = [...this.answers].map((answer) => new Promise<void>((resolve) => answer.once('close', resolve)));
    const timer = setTimeout(() => {
      for (const answer of this.answers) answer.destroy();
    }, STOP_MS);
    await Promise.all(ends);
    clearTimeout(timer);
  }
}
