import { OutboundClient, readBytes } from '@fossick/outbound';
import { LAST_FORMAT, type MonotonicClock } from '@fossick/replication';
import type { ClusterOptions } from '../options.js';
import { readNodeTls, refusalOf } from './node-tls.js';
import { FOLLOW_PATH, type Followed, type PeerAnswer, VISIBLE_PATH } from './peer-server.js';
import { RequestSigner } from './signature.js';

/** A leader answers within a second; one that does not is cut off, in milliseconds. */
const ANSWER_MS = 4_000;
/** A leader waits five seconds for a node that is slow, in milliseconds. */
const VISIBLE_MS = 6_000;
/** After a failed request, in milliseconds. */
const RETRY_MS = 300;
/** The position must be applied within this time before the leader is asked again, in milliseconds. */
const APPLY_MS = 1_000;
/** The leader refuses what has another secret. */
const FORBIDDEN = 403;
/** A position, and the ids of a thousand nodes. */
const ANSWER_BYTES_MAX = 64 << 10;

export interface PeerClientOptions {
  readonly options: ClusterOptions;
  /** The id of this node. */
  readonly id: string;
  readonly clock: MonotonicClock;
  /** The last applied position. */
  readonly position: () => number;
  /** The leader has a greater position. Resolves when it is applied here, or after a time. */
  readonly onMore: (position: number, withinMs: number) => Promise<unknown>;
  /** Called with a sentence when a leader's certificate, or the secret of this node, is refused, once until it is accepted. */
  readonly onRefusal?: (message: string) => void;
}

/**
 * Tells the leader where this node is, and learns from its answer that the log has more: the leader answers when it has
 * something to tell. Only a hint: a node that reaches no leader reads the log now and then.
 */
export class PeerClient {
  private readonly given: PeerClientOptions;
  private readonly signer: RequestSigner | undefined;
  private readonly client: OutboundClient;
  private leader: string | undefined;
  private running = new AbortController();
  private isClosed = false;
  /** The last refusal that was told. */
  private refusal: string | undefined;
  private turn = 0;
  /** When the leader answered last; -Infinity for never. */
  private heardMs = Number.NEGATIVE_INFINITY;
  private lastOthers: readonly string[] | undefined;

  /** Throws LaunchError. */
  constructor(given: PeerClientOptions) {
    this.given = given;
    const { secret, tls } = given.options;
    this.signer = secret === null ? undefined : new RequestSigner(secret, given.id);
    // the operator names the addresses of the nodes
    this.client = new OutboundClient({
      policy: null,
      connectMs: ANSWER_MS,
      ...(tls === null ? {} : { tls: readNodeTls(tls) }),
    });
  }

  /** Milliseconds since the leader answered. */
  get silentMs(): number {
    return this.given.clock.nowMs() - this.heardMs;
  }

  /** Ids of the other nodes that were in contact with the last leader that answered; undefined when it did not tell. */
  get others(): readonly string[] | undefined {
    return this.lastOthers;
  }

  /** Follows another leader from now on; undefined: none, or this node itself. */
  follow(leader: string | undefined): void {
    this.leader = leader === '' ? undefined : leader;
    if (this.leader !== undefined) this.lastOthers = undefined;
    this.turn += 1;
    this.running.abort();
    this.running = new AbortController();
    if (this.leader !== undefined && !this.isClosed) void this.run(this.turn, this.leader);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.follow(undefined);
    await this.client.close();
  }

  private async run(turn: number, leader: string): Promise<void> {
    const { position, onMore, clock } = this.given;
    while (turn === this.turn) {
      try {
        const theirs = await this.ask(leader, FOLLOW_PATH, ANSWER_MS);
        this.heardMs = clock.nowMs();
        this.refusal = undefined;
        this.lastOthers = theirs.others;
        if (theirs.position > position()) await onMore(theirs.position, APPLY_MS);
      } catch (error) {
        if (turn === this.turn) this.noteRefusal(leader, error);
        await new Promise<void>((resolve) => void clock.after(RETRY_MS, resolve));
      }
    }
  }

  /**
   * Resolves when the leader says that all nodes in contact have applied what this one has, or when it does not answer:
   * then nobody knows which nodes are in contact.
   */
  async visible(): Promise<void> {
    if (this.leader !== undefined) await this.ask(this.leader, VISIBLE_PATH, VISIBLE_MS).catch(() => undefined);
  }

  private async ask(leader: string, path: string, silenceMs: number): Promise<PeerAnswer> {
    const { id, options, position } = this.given;
    const told: Followed = { id, url: options.url, position: position(), format: LAST_FORMAT };
    const body = Buffer.from(JSON.stringify(told));
    const signed = this.signer?.headers({ method: 'POST', path, body }) ?? {};
    const answer = await this.client.request({
      method: 'POST',
      url: new URL(path, leader),
      headers: { ...signed, 'content-type': 'application/json' },
      body,
      signal: this.running.signal,
      silenceMs,
    });
    const text = (await readBytes(answer.body, ANSWER_BYTES_MAX)).toString('utf8');
    const { position: theirs, others } = (answer.status === 200 ? JSON.parse(text) : {}) as Partial<PeerAnswer>;
    if (answer.status === FORBIDDEN) throw new ForbiddenError();
    if (typeof theirs !== 'number') throw new Error(`the leader answered ${answer.status}`);
    // a node of an earlier version does not tell the others
    return { position: theirs, ...(others === undefined ? {} : { others }) };
  }

  private noteRefusal(leader: string, error: unknown): void {
    const reason = error instanceof Error && 'code' in error ? refusalOf(error.code) : undefined;
    const message =
      error instanceof ForbiddenError
        ? `The leader at ${leader} refused this node: ${error.message}`
        : reason && `The leader at ${leader} was refused: its certificate ${reason}`;
    if (message === undefined || message === this.refusal) return;
    this.refusal = message;
    this.given.onRefusal?.(message);
  }
}

class ForbiddenError extends Error {
  constructor() {
    super('its secret is another one, all nodes need the same --cluster-secret');
  }
}
