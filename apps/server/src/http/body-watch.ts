import type { IncomingMessage } from 'node:http';

/** A client has to send so many bytes of its body within each span: less than any modem does, and more than one that only holds on. */
const PROGRESS_BYTES = 1_000;
const SPAN_MS = 30_000;
/** How often is looked. A look that comes much later means that this thread was busy: then nobody is to blame. */
const LOOK_MS = 5_000;

interface Watched {
  readonly request: IncomingMessage;
  fromBytes: number;
  fromMs: number;
}

/** Spans in milliseconds. */
export interface BodySpans {
  readonly spanMs: number;
  readonly lookMs: number;
}
const SPANS: BodySpans = { spanMs: SPAN_MS, lookMs: LOOK_MS };

/** Tells of bodies whose clients have stopped sending. */
export class BodyWatch {
  private readonly watched = new Set<Watched>();
  private readonly onStall: (request: IncomingMessage) => void;
  private readonly spans: BodySpans;
  private timer: NodeJS.Timeout | undefined;
  private lookedMs = 0;

  /** `onStall` is called for each span without progress, also after the request was answered. */
  constructor(onStall: (request: IncomingMessage) => void, spans: BodySpans = SPANS) {
    this.onStall = onStall;
    this.spans = spans;
  }

  /** Watches a request until its body is whole or its connection is gone. */
  add(request: IncomingMessage): void {
    const watched: Watched = { request, fromBytes: request.socket?.bytesRead ?? 0, fromMs: Date.now() };
    this.watched.add(watched);
    const end = (): void => {
      this.watched.delete(watched);
      if (this.watched.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
    request.once('end', end);
    request.once('close', end);
    if (this.timer !== undefined) return;
    this.lookedMs = Date.now();
    this.timer = setInterval(() => this.look(), this.spans.lookMs).unref();
  }

  private look(): void {
    const { spanMs, lookMs } = this.spans;
    const nowMs = Date.now();
    const wasBusy = nowMs - this.lookedMs > 2 * lookMs;
    this.lookedMs = nowMs;
    for (const watched of this.watched) {
      const { request, fromBytes, fromMs } = watched;
      const bytes = request.socket?.bytesRead ?? 0;
      // what waits for us to take it is no fault of the client
      const isOurs = wasBusy || request.readableLength > 0 || request.isPaused();
      if (isOurs || bytes - fromBytes >= PROGRESS_BYTES) {
        watched.fromBytes = bytes;
        watched.fromMs = nowMs;
      } else if (nowMs - fromMs >= spanMs) {
        watched.fromMs = nowMs;
        this.onStall(request);
      }
    }
  }
}
