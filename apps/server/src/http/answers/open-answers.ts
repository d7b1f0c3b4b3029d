import type { ServerResponse } from 'node:http';
import { endWithClient } from './half-closed.js';

/** How long a stopping server waits for clients to read the end of their answers, in ms. */
const STOP_MS = 2_000;

/**
 * Streamed answers without a time limit. A connection with such an answer would stay open when the server closes, and
 * keep the server alive: so they are awaited, and those that their clients do not read to the end are closed.
 */
export class OpenAnswers {
  private readonly answers = new Set<ServerResponse>();
  private isEnding = false;
  private readonly stopMs: number;

  constructor(stopMs = STOP_MS) {
    this.stopMs = stopMs;
  }

  /** Called before anything is written to it. An answer that begins while the server stops is closed at once. */
  add(response: ServerResponse): void {
    if (this.isEnding) return void response.destroy();
    this.answers.add(response);
    endWithClient(response);
    response.once('close', () => this.answers.delete(response));
  }

  /** Resolves when all are closed, after their ends were written: at most `stopMs` later. */
  async ended(): Promise<void> {
    this.isEnding = true;
    const ends = [...this.answers].map((answer) => new Promise<void>((resolve) => answer.once('close', resolve)));
    const timer = setTimeout(() => {
      for (const answer of this.answers) answer.destroy();
    }, this.stopMs);
    await Promise.all(ends);
    clearTimeout(timer);
  }
}
