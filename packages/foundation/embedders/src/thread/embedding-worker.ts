import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { threadOptions } from '@fossick/base';
import type { EmbedderConfiguration } from '../configuration.js';
import type { RequestOrigin } from '../http/request-slots.js';
import { type EmbeddingCommand, type EmbeddingStart, ENDED, SIGNAL_BYTES } from './embedding-messages.js';
import type { SharedLimits } from './shared-limits.js';

export interface EmbeddingWorkerOptions {
  readonly allowedNetworks: string | null;
  readonly limits: SharedLimits;
}

/** The caller's side of a thread that makes vectors. */
export class EmbeddingWorker {
  readonly port: MessagePort;
  /** See EmbeddingStart. */
  readonly signals: Int32Array;
  private readonly worker: Worker;
  private holdsRuntime = false;

  constructor({ allowedNetworks, limits }: EmbeddingWorkerOptions, requestSide: RequestOrigin) {
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    const shared = new SharedArrayBuffer(SIGNAL_BYTES);
    this.signals = new Int32Array(shared);
    const workerData: EmbeddingStart = { allowedNetworks, limits, requestSide, port: port2, signals: shared };
    this.worker = new Worker(new URL('./embedding-thread.js', import.meta.url), {
      workerData,
      transferList: [port2],
      ...threadOptions(),
    });
    // a waiting caller sees the signal; the error itself must not end this process
    this.worker.on('error', () => Atomics.store(this.signals, ENDED, 1));
    this.worker.unref();
    this.port.unref();
  }

  get isEnded(): boolean {
    return Atomics.load(this.signals, ENDED) === 1;
  }
  send(command: EmbeddingCommand): void {
    if (command.kind === 'ask' && runsHere(command.configuration)) this.holdsRuntime = true;
    this.port.postMessage(command);
  }
  /**
   * Called when nothing was requested for a while: lets the thread end, and returns true. A thread that has loaded the
   * runtime of local models stays and only unloads its models: Node cannot load that addon again once the last thread
   * using it has ended.
   */
  rest(): boolean {
    this.send({ kind: this.holdsRuntime ? 'rest' : 'end' });
    return !this.holdsRuntime;
  }
  /** Ends the thread and aborts its requests. */
  end(): void {
    this.send({ kind: 'end' });
  }
}

/** Whether the model of an embedder, or of one of its sides, runs in this process. */
function runsHere(configuration: EmbedderConfiguration): boolean {
  if (configuration.source !== 'composite') return configuration.source === 'huggingFace';
  return runsHere(configuration.searchEmbedder) || runsHere(configuration.indexingEmbedder);
}
