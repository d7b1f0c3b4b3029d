import type { ServerResponse } from 'node:http';
import { constants, type Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { isGone } from './answers/answer-watch.js';
import { STREAM_COUNT_MAX } from './tls.js';

/**
 * Requests of one HTTP/1 connection that are answered at a time. They wait for each other's answers anyway, and each answer that is made
 * ahead stays in memory until then.
 */
const PIPELINED_AT_ONCE = 8;
/**
 * Requests of one connection that begin in one turn of the event loop: those of others come in between, and a stream that is reset at
 * once is closed before its turn.
 */
const BEGINS_PER_TURN = 8;
/**
 * Streams of one HTTP/2 connection that wait: when there are more than may be open, the others were reset by their client, as if to use up
 * this thread. Each costs some 50 microseconds before it is known here.
 */
const RESET_STREAMS = 2 * STREAM_COUNT_MAX;
/**
 * Requests that wait in all connections, some 5 KB each. Reading 64 KiB of a connection gives at most 3,000, then it is not read until
 * all of them have begun.
 */
const WAITING_MAX = 20_000;

type Response = ServerResponse & { readonly stream?: Http2ServerResponse['stream'] };

interface Waiter {
  readonly response: Response;
  readonly begin: () => void;
}

/** Requests of one connection. */
interface Lane {
  readonly most: number;
  /** HTTP/1: what is not read while requests wait. */
  readonly socket: Socket | null;
  underWay: number;
  /** Begun in this turn. */
  begun: number;
  isTurnComing: boolean;
  readonly waiting: Waiter[];
}

/** How many requests may be under way on a connection, and wait on all. */
export interface GateLimits {
  readonly pipelinedAtOnce: number;
  readonly waitingMax: number;
}

/**
 * Bounds the requests of each connection that are under way, from the first hook until their answers are sent. Others wait, and their
 * connection is not read meanwhile; nothing is done for a request whose stream or connection is closed before its turn.
 */
export class RequestGate {
  private readonly limits: GateLimits;
  private readonly lanes = new WeakMap<object, Lane>();
  private waitingCount = 0;

  constructor({ pipelinedAtOnce = PIPELINED_AT_ONCE, waitingMax = WAITING_MAX }: Partial<GateLimits> = {}) {
    this.limits = { pipelinedAtOnce, waitingMax };
  }

  /** Calls `begin` now, in a later turn, or never. */
  admit(response: Response, begin: () => void): void {
    if (isGone(response)) return;
    const connection = response.stream?.session ?? response.req.socket;
    let lane = this.lanes.get(connection);
    if (lane === undefined) {
      lane = this.newLane(response);
      this.lanes.set(connection, lane);
    }
    if (lane.waiting.length === 0 && this.canBegin(lane)) return this.begin(lane, { response, begin });
    const { session } = response.stream ?? {};
    if (session !== undefined && lane.waiting.length >= RESET_STREAMS)
      return session.destroy(new Error('streams are reset at once'), constants.NGHTTP2_ENHANCE_YOUR_CALM);
    if (this.waitingCount >= this.limits.waitingMax) return void (session ?? response.req.socket).destroy();
    lane.waiting.push({ response, begin });
    this.waitingCount += 1;
    if (lane.waiting.length === 1) lane.socket?.pause();
  }

  private newLane({ stream, req }: Response): Lane {
    const waiting: Waiter[] = [];
    const socket = stream === undefined ? req.socket : null;
    const { pipelinedAtOnce } = this.limits;
    const most = socket === null ? STREAM_COUNT_MAX : pipelinedAtOnce;
    const forget = (): void => {
      this.waitingCount -= waiting.length;
      waiting.length = 0;
    };
    (stream?.session ?? req.socket).once('close', forget);
    // Node reads on after each request that is answered
    socket?.on('resume', () => waiting.length > 0 && socket.pause());
    return { most, socket, underWay: 0, begun: 0, isTurnComing: false, waiting };
  }

  private canBegin({ underWay, begun, most }: Lane): boolean {
    return underWay < most && begun < BEGINS_PER_TURN;
  }

  private begin(lane: Lane, { response, begin }: Waiter): void {
    lane.underWay += 1;
    lane.begun += 1;
    response.once('close', () => {
      lane.underWay -= 1;
      this.beginWaiting(lane);
    });
    if (!lane.isTurnComing) {
      lane.isTurnComing = true;
      setImmediate(() => {
        lane.isTurnComing = false;
        lane.begun = 0;
        this.beginWaiting(lane);
      });
    }
    begin();
  }

  private beginWaiting(lane: Lane): void {
    if (lane.waiting.length === 0) return;
    let at = 0;
    while (at < lane.waiting.length && this.canBegin(lane)) {
      const next = lane.waiting[at++]!;
      if (!isGone(next.response)) this.begin(lane, next);
    }
    lane.waiting.splice(0, at);
    this.waitingCount -= at;
    if (lane.waiting.length === 0) lane.socket?.resume();
  }
}

/** Has to be the first hook. */
export function registerGate(app: FastifyInstance, gate: RequestGate): void {
  app.addHook('onRequest', (_request, reply, done) => gate.admit(reply.raw, done));
}
