import { Bell, MessageChannel, type MessagePort, WatchedThread } from '@fossick/threads';
import type { EmbedderConfiguration } from '../configuration.js';
import type { RequestOrigin } from '../http/request-slots.js';
import type { EmbeddingCommand, EmbeddingStart } from './embedding-messages.js';
import type { SharedLimits } from './shared-limits.js';

export interface EmbeddingWorkerOptions {
  readonly allowedNetworks: string | null;
  readonly limits: SharedLimits;
}

/** The caller's side of a thread that makes vectors. */
export class EmbeddingWorker {
  readonly port: MessagePort;
  /** See EmbeddingStart. */
  readonly bell = new Bell();
  private holdsRuntime = false;

  constructor({ allowedNetworks, limits }: EmbeddingWorkerOptions, requestSide: RequestOrigin) {
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    const start: EmbeddingStart = { allowedNetworks, limits, requestSide, port: port2, bell: this.bell.buffer };
    new WatchedThread({
      script: new URL('./embedding-thread.js', import.meta.url),
      start,
      transfer: [port2],
      holdsProcess: false,
      onFault: () => this.bell.end(),
    });
    this.port.unref();
  }

  get isEnded(): boolean {
    return this.bell.isEnded;
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
