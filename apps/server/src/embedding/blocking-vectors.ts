import { receiveMessageOnPort } from 'node:worker_threads';
import { type EmbedderInput, EmbeddingError } from '@fossick/embedders';
import type { MakeOptions, VectorMaker } from '@fossick/engine';
import type { EmbedderConfig } from '@fossick/settings';
import { configurationOf } from './embedder-configuration.js';
import { BELL, type EmbeddingAnswer, type EmbeddingQuestion, type EmbeddingReport } from './embedding-messages.js';
import { EmbeddingWorker, type EmbeddingWorkerOptions } from './embedding-worker.js';

/** Milliseconds between two looks at whether the vectors are still wanted. */
const LOOK_MS = 50;

export interface BlockingVectorsOptions extends EmbeddingWorkerOptions {
  /** True once the program ends: what is in flight is broken off. */
  readonly isEnding: () => boolean;
}

/**
 * Vectors for a thread that cannot do anything else until it has them. Another thread makes them; it is started when the first are needed, and `rest` lets
 * it end. This one sleeps meanwhile, and wakes for reports and to see whether it should give up.
 */
export class BlockingVectors implements VectorMaker {
  #worker: EmbeddingWorker | undefined;
  #askedCount = 0;

  constructor(private readonly options: BlockingVectorsOptions) {}

  dimensions(embedder: EmbedderConfig, options: MakeOptions): number {
    const answer = this.#ask(embedder, { kind: 'dimensions' }, options);
    return answer.kind === 'dimensions' ? answer.dimCount : 0;
  }

  make(embedder: EmbedderConfig, inputs: readonly EmbedderInput[], options: MakeOptions): Float32Array[] {
    const answer = this.#ask(embedder, { kind: 'embed', inputs, side: 'indexing' }, options);
    if (answer.kind !== 'vectors') return [];
    const { values, dimCount } = answer;
    return inputs.map((_, at) => values.subarray(at * dimCount, (at + 1) * dimCount));
  }

  /** To be called when there is nothing to do. */
  rest(): void {
    if (this.#worker?.rest() === true) this.#worker = undefined;
  }

  close(): void {
    this.#worker?.end();
    this.#worker = undefined;
  }

  #ask(embedder: EmbedderConfig, question: EmbeddingQuestion, options: MakeOptions): EmbeddingAnswer {
    const configuration = configurationOf(embedder, process.env);
    if (this.#worker?.isEnded) this.#worker = undefined;
    this.#worker ??= new EmbeddingWorker(this.options);
    const id = ++this.#askedCount;
    this.#worker.send({ kind: 'ask', id, configuration, question });
    const answer = this.#wait(this.#worker, id, options);
    if (answer.kind !== 'fault') return answer;
    const { fault, message, inputIndex } = answer;
    throw new EmbeddingError(fault, message, inputIndex === undefined ? {} : { inputIndex });
  }

  #wait(worker: EmbeddingWorker, id: number, { isCanceled, onRequest }: MakeOptions): EmbeddingAnswer {
    for (;;) {
      const rings = Atomics.load(worker.signals, BELL);
      const { isEnded } = worker;
      const received = receiveMessageOnPort(worker.port) as { readonly message: EmbeddingReport } | undefined;
      if (received !== undefined) {
        const { message: report } = received;
        // what was given up may still be told of
        if (report.id !== id) continue;
        if (report.kind !== 'request') return report;
        onRequest(report.report);
      } else if (isEnded) {
        throw new EmbeddingError('unreachable', 'The thread that makes vectors ended unexpectedly.');
      } else Atomics.wait(worker.signals, BELL, rings, LOOK_MS);
      if (!isCanceled() && !this.options.isEnding()) continue;
      worker.send({ kind: 'abort', id });
      throw new EmbeddingError('aborted', 'The vectors are not wanted any more.');
    }
  }
}
