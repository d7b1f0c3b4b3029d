import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { ApiError, apiError, describeError } from '@fossick/base';
import type { Chunk } from './chunk.js';
import { ProviderError } from './provider-error.js';

const DONE = 'data: [DONE]\n\n';
/** A line that clients skip (WHATWG, Server-sent events): proxies close idle connections. */
const KEEP_ALIVE = ': keep-alive\n\n';

export interface EventStreamOptions {
  /** Whether the client has waited that long already. */
  readonly isLate: boolean;
  /** Milliseconds of silence after which the client gets a comment. */
  readonly keepAliveMs: number;
  /** Called with errors other than ApiError. */
  readonly onFault: (error: unknown) => void;
}

/**
 * The chunks of an answer as Server-Sent Events in the chat completions streaming format. An error in the middle is
 * sent as the last event. Chunks are requested only as fast as the client reads.
 */
export class EventStream extends Readable {
  private readonly chunks: AsyncIterator<Chunk>;
  private readonly options: EventStreamOptions;
  /** Set while the client must read first. */
  private goOn: (() => void) | undefined;
  private readonly silence: NodeJS.Timeout;

  /** @param first the first result already requested from `chunks` */
  constructor(first: Promise<IteratorResult<Chunk>>, chunks: AsyncIterator<Chunk>, options: EventStreamOptions) {
    super({ highWaterMark: 1 << 14 });
    this.chunks = chunks;
    this.options = options;
    this.silence = setTimeout(() => this.keepAlive(), options.keepAliveMs);
    if (options.isLate) this.keepAlive();
    void this.run(first);
  }

  override _read(): void {
    this.goOn?.();
    this.goOn = undefined;
  }
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.silence);
    this._read();
    // a conversation that waits for its provider is ended by its signal
    void this.chunks.return?.().catch(this.options.onFault);
    done(error);
  }

  private async run(first: Promise<IteratorResult<Chunk>>): Promise<void> {
    try {
      for (let next = await first; next.done !== true; next = await this.chunks.next()) {
        if (this.destroyed) return;
        await this.send(`data: ${JSON.stringify(next.value)}\n\n`);
      }
      await this.send(DONE);
    } catch (error) {
      if (!(error instanceof ApiError)) this.options.onFault(error);
      await this.send(`event: error\ndata: ${JSON.stringify(errorEvent(error))}\n\n`);
    }
    clearTimeout(this.silence);
    if (!this.destroyed) this.push(null);
  }

  /** Resolves when more can be sent. */
  private async send(text: string): Promise<void> {
    if (this.destroyed) return;
    this.silence.refresh();
    if (this.push(text)) return;
    await new Promise<void>((resolve) => {
      this.goOn = resolve;
    });
  }

  private keepAlive(): void {
    if (this.destroyed) return;
    // not needed while the client does not read
    if (this.readableLength === 0) this.push(KEEP_ALIVE);
    this.silence.refresh();
  }
}

/** The provider's own names for the error where it has some, in addition to ours. */
function errorEvent(error: unknown): object {
  const known = error instanceof ApiError ? error : apiError('internal', 'conversation');
  const { providerType, providerCode, param } = error instanceof ProviderError ? error : NO_DETAILS;
  const id = randomUUID();
  const event = {
    type: providerType ?? 'response_error',
    code: providerCode ?? known.code,
    message: known.message,
    param,
    event_id: id,
    link: describeError(known.code).link,
  };
  return { event_id: id, type: 'error', error: event };
}
const NO_DETAILS = { providerType: null, providerCode: null, param: null } as const;
