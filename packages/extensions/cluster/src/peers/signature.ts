import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const SCHEME = 'Fossick-HMAC-SHA256 ';
/** Nodes whose last number is remembered: more than a cluster has in days of restarts. */
const NODES_MAX = 10_000;

/** What a signature is about. */
export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: Uint8Array;
}

/** Signs the requests of one node by the secret of the cluster. Each has a number, so that none can be sent again. */
export class RequestSigner {
  private readonly secret: string;
  private readonly node: string;
  private lastNumber = 0;

  constructor(secret: string, node: string) {
    this.secret = secret;
    this.node = node;
  }

  headers(request: SignedRequest): Record<string, string> {
    const number = ++this.lastNumber;
    const signature = signatureOf(this.secret, this.node, number, request);
    return { 'x-fossick-node': this.node, 'x-fossick-number': String(number), authorization: SCHEME + signature };
  }
}

/**
 * Checks signed requests. The numbers of a node rise, so a request that was recorded on its way is refused; after a
 * restart of this process it would be taken once more, and says no more than that a node of the past was somewhere.
 */
export class RequestVerifier {
  private readonly secret: string;
  private readonly lastNumbers = new Map<string, number>();

  constructor(secret: string) {
    this.secret = secret;
  }

  accepts(headers: IncomingHttpHeaders, request: SignedRequest): boolean {
    const { authorization = '', 'x-fossick-node': node, 'x-fossick-number': text } = headers;
    if (typeof node !== 'string' || typeof text !== 'string' || !/^\d{1,15}$/.test(text)) return false;
    const number = Number(text);
    const expected = Buffer.from(SCHEME + signatureOf(this.secret, node, number, request));
    const given = Buffer.from(authorization);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
    if (number <= (this.lastNumbers.get(node) ?? 0)) return false;
    this.lastNumbers.delete(node);
    this.lastNumbers.set(node, number);
    if (this.lastNumbers.size > NODES_MAX) this.lastNumbers.delete(this.lastNumbers.keys().next().value!);
    return true;
  }
}

function signatureOf(secret: string, node: string, number: number, { method, path, body }: SignedRequest): string {
  const hash = createHash('sha256').update(body).digest('hex');
  return createHmac('sha256', secret).update(`${method}\n${path}\n${node}\n${number}\n${hash}`).digest('hex');
}
