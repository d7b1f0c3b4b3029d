import type { ServerResponse } from 'node:http';
import { apiError, MAX_TASK_STREAMS } from '@fossick/base';
import type { Changes, TaskChanges } from '@fossick/runtime';
import { OpenAnswers } from '../http/answers/open-answers.js';
import { ChangeStream, type ChangeStreamOptions } from './change-stream.js';

/** The open streams of tasks and batches. */
export class TaskStreams {
  private readonly changes: TaskChanges;
  private readonly keepAliveMs: number;
  private readonly answers = new OpenAnswers();
  private readonly open = new Set<ChangeStream>();

  constructor(changes: TaskChanges, keepAliveMs: number) {
    this.changes = changes;
    this.keepAliveMs = keepAliveMs;
  }

  /**
   * A stream of the objects of one kind that change from now on, which is sent as `answer`. Throws ApiError
   * too_many_search_requests.
   */
  stream(kind: keyof Changes, answer: ServerResponse, options: Omit<ChangeStreamOptions, 'keepAliveMs'>): ChangeStream {
    if (this.open.size >= MAX_TASK_STREAMS) throw apiError('too_many_search_requests', 'streams', MAX_TASK_STREAMS);
    const stream = new ChangeStream({ ...options, keepAliveMs: this.keepAliveMs });
    const stopListening = this.changes.listen((changes) => {
      if (changes[kind].length > 0) stream.add(changes[kind]);
    });
    this.open.add(stream);
    stream.once('close', () => {
      stopListening();
      this.open.delete(stream);
    });
    // an answer that its client left, in whatever state, is of no use to a stream
    answer.once('close', () => stream.destroy());
    this.answers.add(answer);
    return stream;
  }

  /** Ends all streams. Resolves when their answers are closed. */
  async stop(): Promise<void> {
    for (const stream of this.open) stream.end();
    await this.answers.ended();
  }
}
