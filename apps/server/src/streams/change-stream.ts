import { Readable } from 'node:stream';
import { UidSet } from '@fossick/tasks';

/** A line that clients skip (WHATWG, Server-sent events): proxies close idle connections. */
const KEEP_ALIVE = ': keep-alive\n\n';
/** Objects that are read in one turn of the event loop: their clients may want none of them. */
const OBJECTS_AT_ONCE = 100;

export interface ChangeStreamOptions {
  /** The JSON text of an object as it is now; undefined when the client does not get it. */
  readonly show: (uid: number) => string | undefined;
  /** Milliseconds of silence after which the client gets a comment. */
  readonly keepAliveMs: number;
  /** Asked with each object and comment: whether the client may still listen. */
  readonly mayListen: () => boolean;
  readonly onFault: (error: unknown) => void;
}

/**
 * Objects that change, as Server-Sent Events. Only uids wait for a client that does not read, as bits; an object is sent
 * as it is when its turn comes, so it may have changed several times.
 */
export class ChangeStream extends Readable {
  private readonly options: ChangeStreamOptions;
  private pending = new UidSet();
  private readonly silence: NodeJS.Timeout;
  private isWanted = false;
  private isSending = false;
  private isOver = false;

  constructor(options: ChangeStreamOptions) {
    super({ highWaterMark: 1 << 14 });
    this.options = options;
    this.silence = setTimeout(() => this.keepAlive(), options.keepAliveMs);
    this.silence.unref();
  }

  /** Takes uids of changed objects. O(uids). */
  add(uids: readonly number[]): void {
    if (this.isOver) return;
    for (const uid of uids) this.pending.add(uid);
    this.send();
  }

  /** Ends the stream after what its client has not taken yet. */
  end(): void {
    clearTimeout(this.silence);
    this.pending = new UidSet();
    if (this.destroyed || this.isOver) return;
    this.isOver = true;
    this.push(null);
  }

  override _read(): void {
    this.isWanted = true;
    this.send();
  }
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.silence);
    done(error);
  }

  private send(): void {
    // pushing asks for more at once
    if (this.isSending) return;
    this.isSending = true;
    let left = OBJECTS_AT_ONCE;
    try {
      for (const uid of this.pending.uids()) {
        if (!this.isWanted || this.destroyed) break;
        if (!this.options.mayListen()) return this.end();
        if (left-- === 0) {
          setImmediate(() => this.send());
          break;
        }
        this.pending.delete(uid);
        const text = this.options.show(uid);
        if (text === undefined) continue;
        this.silence.refresh();
        this.isWanted = this.push(`data: ${text}\n\n`);
      }
    } catch (error) {
      this.options.onFault(error);
      this.destroy();
    } finally {
      this.isSending = false;
    }
  }

  private keepAlive(): void {
    if (this.destroyed || this.isOver) return;
    if (!this.options.mayListen()) return this.end();
    // not needed while the client does not read
    if (this.readableLength === 0) this.push(KEEP_ALIVE);
    this.silence.refresh();
  }
}
