import { ThreadLost } from '@fossick/base';
import {
  type EmbedderInput,
  type EmbeddingAnswer,
  EmbeddingError,
  type EmbeddingQuestion,
  type EmbeddingReport,
  EmbeddingWorker,
  type EmbeddingWorkerOptions,
} from '@fossick/embedders';
import { configurationOf, type EmbedderConfig } from '@fossick/settings';
import { receivedOn } from '@fossick/threads';
import type { MakeOptions, PendingVectors, VectorMaker } from './vector-maker.js';

/** A thread without requests ends after this time, in milliseconds: starting one takes up to half a second. */
const IDLE_MS = 60_000;
/** Interval at which a wait checks whether the vectors are still wanted, in milliseconds. */
const LOOK_MS = 50;

export interface BlockingVectorsOptions extends EmbeddingWorkerOptions {
  /** True once the program ends: running requests are aborted. */
  readonly isEnding: () => boolean;
}

/** The other thread. */
type Worker = Pick<EmbeddingWorker, 'port' | 'bell' | 'isEnded' | 'send' | 'rest' | 'end'>;

/** A request that was neither awaited nor dropped. */
interface Question {
  readonly id: number;
  readonly worker: Worker;
  readonly options: MakeOptions;
  /** Set if it arrived while another one was awaited. */
  answer: EmbeddingAnswer | undefined;
}

/**
 * Vectors for a thread whose work is synchronous. Another thread makes them; it is started with the first request, and
 * ends some time after `rest`. The calling thread does other work meanwhile, or sleeps, and wakes for reports and to
 * check for cancelation.
 */
export class BlockingVectors implements VectorMaker {
  private readonly options: BlockingVectorsOptions;
  private worker: Worker | undefined;
  private readonly startWorker: () => Worker;
  private requestCount = 0;
  private readonly open = new Map<number, Question>();
  private idle: NodeJS.Timeout | undefined;

  constructor(
    options: BlockingVectorsOptions,
    startWorker: () => Worker = () => new EmbeddingWorker(options, 'indexing'),
  ) {
    this.options = options;
    this.startWorker = startWorker;
  }

  dimensions(embedder: EmbedderConfig, options: MakeOptions): number {
    const answer = this.answered(this.requestVector(embedder, { kind: 'dimensions' }, options));
    return answer.kind === 'dimensions' ? answer.dimCount : 0;
  }

  begin(embedder: EmbedderConfig, inputs: readonly EmbedderInput[], options: MakeOptions): PendingVectors {
    const question = this.requestVector(embedder, { kind: 'embed', inputs, side: 'indexing' }, options);
    return {
      take: () => {
        const answer = this.answered(question);
        if (answer.kind !== 'vectors') return [];
        const { values, dimCount } = answer;
        return inputs.map((_, at) => values.subarray(at * dimCount, (at + 1) * dimCount));
      },
      drop: () => this.drop(question),
    };
  }

  /** Called when there is nothing to do, as often as one likes: the thread ends if nothing is requested for a while. */
  rest(): void {
    if (this.worker === undefined) return;
    clearTimeout(this.idle);
    this.idle = setTimeout(() => {
      if (this.worker?.rest() === true) this.worker = undefined;
    }, IDLE_MS).unref();
  }

  close(): void {
    clearTimeout(this.idle);
    this.worker?.end();
    this.worker = undefined;
  }

  private requestVector(embedder: EmbedderConfig, question: EmbeddingQuestion, options: MakeOptions): Question {
    const configuration = configurationOf(embedder, process.env);
    clearTimeout(this.idle);
    if (this.worker?.isEnded) this.worker = undefined;
    this.worker ??= this.startWorker();
    const id = ++this.requestCount;
    this.worker.send({ kind: 'ask', id, configuration, question });
    const pending: Question = { id, worker: this.worker, options, answer: undefined };
    this.open.set(id, pending);
    return pending;
  }

  /** Waits for the answer. Throws EmbeddingError and ThreadLost. */
  private answered(question: Question): EmbeddingAnswer {
    try {
      const answer = question.answer ?? this.wait(question);
      this.open.delete(question.id);
      if (answer.kind !== 'fault') return answer;
      const { fault, message, inputIndex } = answer;
      throw new EmbeddingError(fault, message, inputIndex === undefined ? {} : { inputIndex });
    } finally {
      this.drop(question);
    }
  }

  /** Aborts the request, if it is running. */
  private drop({ id, worker }: Question): void {
    if (this.open.delete(id)) worker.send({ kind: 'abort', id });
  }

  private wait({ id, worker, options }: Question): EmbeddingAnswer {
    for (;;) {
      const { rings } = worker.bell;
      const { isEnded } = worker;
      const report = receivedOn<EmbeddingReport>(worker.port);
      if (report !== undefined) {
        if (report.kind !== 'request' && report.id === id) return report;
        // reports of dropped requests may still arrive
        const other = this.open.get(report.id);
        if (report.kind === 'request') other?.options.onRequest(report.report);
        else if (other !== undefined) other.answer = report;
      } else if (isEnded) {
        throw new ThreadLost('the thread that makes vectors has ended before its time');
      } else worker.bell.wait(rings, LOOK_MS);
      if (options.isCanceled() || this.options.isEnding())
        throw new EmbeddingError('aborted', 'The vectors are not wanted any more.');
    }
  }
}
