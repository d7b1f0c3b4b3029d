import type { IncomingMessage } from 'node:http';

/** A client has to send so many bytes of its body within each span: less than any modem does, and more than one that only holds on. */
const PROGRESS_BYTES = 1_000;
const SPAN_MS = 30_000;
/** How often is looked. A look that comes much later means that this thread was busy: then nobody is to blame. */
const LOOK_MS = 5_000;

/** A request whose body may still be coming. */
export interface Watched {
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

  /**
   * Watches a request until its body is whole or its connection is gone. Nothing tells of either: a look sees it, and `answered` for most, as listeners of
   * their own would take a search of a young process longer than reading its body does.
   */
  add(request: IncomingMessage): Watched {
    const watched: Watched = { request, fromBytes: request.socket?.bytesRead ?? 0, fromMs: Date.now() };
    this.watched.add(watched);
    if (this.timer === undefined) {
      this.lookedMs = Date.now();
      this.timer = setInterval(() => this.look(), this.spans.lookMs).unref();
    }
    return watched;
  }

  /** To be called when a request is answered. What is still to come of its body is watched on. */
  answered(watched: Watched): void {
    if (isOver(watched.request)) this.watched.delete(watched);
  }

  private look(): void {
    const { spanMs, lookMs } = this.spans;
    const nowMs = Date.now();
    const wasBusy = nowMs - this.lookedMs > 2 * lookMs;
    this.lookedMs = nowMs;
    if (this.watched.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
    for (const watched of this.watched) {
      const { request, fromBytes, fromMs } = watched;
      if (isOver(request)) {
        this.watched.delete(watched);
        continue;
      }
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

/** Nothing more is to come of its body. */
function isOver({ complete, destroyed }: IncomingMessage): boolean {
  return complete || destroyed;
}
