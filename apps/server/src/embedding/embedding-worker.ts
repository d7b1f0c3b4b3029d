import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { EmbedderLimits } from '@fossick/embedders';
import { type EmbeddingCommand, type EmbeddingStart, ENDED, SIGNAL_BYTES } from './embedding-messages.js';

export interface EmbeddingWorkerOptions {
  readonly allowedNetworks: string | null;
  readonly limits: Partial<EmbedderLimits>;
}

/** The other end of a thread that makes vectors. */
export class EmbeddingWorker {
  readonly port: MessagePort;
  /** As EmbeddingStart describes them. */
  readonly signals: Int32Array;
  readonly #worker: Worker;

  constructor({ allowedNetworks, limits }: EmbeddingWorkerOptions) {
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    const shared = new SharedArrayBuffer(SIGNAL_BYTES);
    this.signals = new Int32Array(shared);
    const workerData: EmbeddingStart = { allowedNetworks, limits, port: port2, signals: shared };
    this.#worker = new Worker(new URL('./embedding-thread.js', import.meta.url), {
      workerData,
      transferList: [port2],
    });
    // whoever waits sees by the signal that it is gone; that it ends by an error must not end us
    this.#worker.on('error', () => Atomics.store(this.signals, ENDED, 1));
    this.#worker.unref();
    this.port.unref();
  }

  get isEnded(): boolean {
    return Atomics.load(this.signals, ENDED) === 1;
  }
  send(command: EmbeddingCommand): void {
    this.port.postMessage(command);
  }
  /** Lets it end; what is in flight is broken off. */
  end(): void {
    this.send({ kind: 'end' });
  }
}
