import { readFileSync } from 'node:fs';
import { Agent, type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestTls, Agent as TlsAgent } from 'node:https';
import type { ClusterOptions } from '@fossick/instance';
import type { MonotonicClock } from '@fossick/replication';
import { FOLLOW_PATH, type Followed } from './peer-server.js';
import { RequestSigner } from './signature.js';

/** A leader answers within a second; one that does not is cut off, in milliseconds. */
const ANSWER_MS = 4_000;
/** After a failed request, in milliseconds. */
const RETRY_MS = 300;
/** The position must be applied within this time before the leader is asked again, in milliseconds. */
const APPLY_MS = 1_000;
const ANSWER_BYTES_MAX = 4_096;

export interface PeerClientOptions {
  readonly options: ClusterOptions;
  /** The id of this node. */
  readonly id: string;
  readonly clock: MonotonicClock;
  /** The last applied position. */
  readonly position: () => number;
  /** The leader has a greater position. Resolves when it is applied here, or after a time. */
  readonly onMore: (position: number, withinMs: number) => Promise<unknown>;
}

/**
 * Tells the leader where this node is, and learns from its answer that the log has more: the leader answers when it has
 * something to tell. Only a hint: a node that reaches no leader reads the log now and then.
 */
export class PeerClient {
  private readonly given: PeerClientOptions;
  private readonly signer: RequestSigner | undefined;
  private readonly agent: Agent;
  private leader: string | undefined;
  private running: ClientRequest | undefined;
  private isClosed = false;
  private turn = 0;
  /** When the leader answered last; -Infinity for never. */
  private heardMs = Number.NEGATIVE_INFINITY;

  constructor(given: PeerClientOptions) {
    this.given = given;
    const { secret, tls } = given.options;
    this.signer = secret === null ? undefined : new RequestSigner(secret, given.id);
    const keep = { keepAlive: true, maxSockets: 2 };
    if (tls === null) this.agent = new Agent(keep);
    else {
      const [cert, key, ca] = [tls.certFile, tls.keyFile, tls.caFile].map((file) => readFileSync(file));
      this.agent = new TlsAgent({ ...keep, cert, key, ca });
    }
  }

  /** Milliseconds since the leader answered. */
  get silentMs(): number {
    return this.given.clock.nowMs() - this.heardMs;
  }

  /** Follows another leader from now on; undefined: none, or this node itself. */
  follow(leader: string | undefined): void {
    this.leader = leader === '' ? undefined : leader;
    this.turn += 1;
    this.running?.destroy();
    if (this.leader !== undefined && !this.isClosed) void this.run(this.turn, this.leader);
  }

  close(): void {
    this.isClosed = true;
    this.follow(undefined);
    this.agent.destroy();
  }

  private async run(turn: number, leader: string): Promise<void> {
    const { position, onMore, clock } = this.given;
    while (turn === this.turn) {
      try {
        const theirs = await this.ask(leader);
        this.heardMs = clock.nowMs();
        if (theirs > position()) await onMore(theirs, APPLY_MS);
      } catch {
        await new Promise<void>((resolve) => void clock.after(RETRY_MS, resolve));
      }
    }
  }

  /** The position of the leader. */
  private ask(leader: string): Promise<number> {
    const { id, options, position } = this.given;
    const told: Followed = { id, url: options.url, position: position() };
    const body = Buffer.from(JSON.stringify(told));
    const target = new URL(FOLLOW_PATH, leader);
    const signed = this.signer?.headers({ method: 'POST', path: FOLLOW_PATH, body }) ?? {};
    const headers = { ...signed, 'content-type': 'application/json', 'content-length': body.length };
    const request = target.protocol === 'https:' ? requestTls : requestPlain;
    return new Promise((resolve, reject) => {
      const sent = request(target, { method: 'POST', headers, agent: this.agent, timeout: ANSWER_MS }, (answer) => {
        readPosition(answer).then(resolve, reject);
      });
      this.running = sent;
      sent.on('timeout', () => sent.destroy(new Error('the leader does not answer')));
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

async function readPosition(answer: IncomingMessage): Promise<number> {
  let text = '';
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    text += chunk.toString('utf8');
    if (text.length > ANSWER_BYTES_MAX) throw new Error('the leader answers with more than a position');
  }
  const { position } = (answer.statusCode === 200 ? JSON.parse(text) : {}) as { readonly position?: unknown };
  if (typeof position !== 'number') throw new Error(`the leader answered ${answer.statusCode}`);
  return position;
}
