import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { LaunchError } from '@fossick/instance';
import type { ClusterOptions } from '../options.js';
import { readNodeTls, refusalOf } from './node-tls.js';
import { RequestVerifier } from './signature.js';

/** Bytes of a body between nodes: some numbers and an address. */
const BODY_BYTES_MAX = 16 << 10;
/** A node tells its position, and learns that of the other one. */
export const FOLLOW_PATH = '/cluster/follow';
/** A node tells its position, and is answered when all nodes in contact have reached it. */
export const VISIBLE_PATH = '/cluster/visible';

/** What a node tells another one. */
export interface Followed {
  readonly id: string;
  readonly url: string;
  readonly position: number;
  /** The last format of the log that it reads and writes. */
  readonly format: number;
}

/** What a node answers. */
export interface PeerAnswer {
  /** The last applied position of the node that answers. */
  readonly position: number;
  /** On FOLLOW_PATH: ids of the other nodes in contact with a leader. */
  readonly others?: readonly string[];
}

/** Answers with the own position: on FOLLOW_PATH as soon as it is greater than that of the caller, or after a while. */
export type OnCall = (caller: Followed) => Promise<PeerAnswer>;

/** The calls of other nodes, by path. */
export interface PeerCalls {
  readonly [FOLLOW_PATH]: OnCall;
  readonly [VISIBLE_PATH]: OnCall;
}

/** Listens for the other nodes: only with the secret, or a certificate of the cluster's authorities. */
export class PeerServer {
  private readonly server: Server;
  private readonly options: ClusterOptions;

  /** `onRefusal`: called with a sentence when the certificate or the secret of another node is refused. Throws LaunchError. */
  constructor(options: ClusterOptions, calls: PeerCalls, onRefusal: (message: string) => void = () => undefined) {
    this.options = options;
    const verifier = options.secret === null ? undefined : new RequestVerifier(options.secret);
    const listener: RequestListener = (request, response) => {
      answer(request, response, { verifier, calls, onRefusal }).catch(() => response.destroy());
    };
    const { tls } = options;
    if (tls === null) this.server = createServer(listener);
    else {
      const files = readNodeTls(tls);
      this.server = createTlsServer({ ...files, requestCert: true, rejectUnauthorized: true }, listener);
      this.server.on('tlsClientError', (_error, { authorizationError }: TLSSocket) => {
        // the address is not known any more
        const reason = refusalOf(authorizationError);
        if (reason !== undefined) onRefusal(`A node that called this one was refused: its certificate ${reason}`);
      });
    }
    this.server.requestTimeout = 10_000;
    this.server.maxConnections = 1_000;
  }

  /** The port. Throws LaunchError. */
  listen(): Promise<number> {
    const { host, port } = this.options.listen;
    return new Promise((resolve, reject) => {
      this.server.once('error', (error) =>
        reject(new LaunchError(`--cluster-listen: cannot listen on ${host}:${port}: ${error.message}`)),
      );
      this.server.listen(port, host, () => {
        this.server.removeAllListeners('error');
        this.server.on('error', () => undefined);
        const address = this.server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }
}

interface Answering {
  readonly verifier: RequestVerifier | undefined;
  readonly calls: PeerCalls;
  readonly onRefusal: (message: string) => void;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { verifier, calls, onRefusal }: Answering,
): Promise<void> {
  const { method = '', url = '' } = request;
  const body = await bodyOf(request);
  if (body === undefined) return end(response, 413);
  if (verifier?.accepts(request.headers, { method, path: url, body }) === false) {
    const from = request.socket.remoteAddress ?? 'an unknown address';
    const reason = request.headers.authorization === undefined ? 'it has no secret' : 'its secret is another one';
    onRefusal(`A node at ${from} that called this one was refused: ${reason}`);
    return end(response, 403);
  }
  const onCall = url === FOLLOW_PATH || url === VISIBLE_PATH ? calls[url] : undefined;
  const caller = method === 'POST' ? followedOf(body) : undefined;
  if (onCall === undefined || caller === undefined) return end(response, 400);
  end(response, 200, JSON.stringify(await onCall(caller)));
}

function end(response: ServerResponse, status: number, text = ''): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** Undefined when there is more than nodes send. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function followedOf(body: Buffer): Followed | undefined {
  try {
    const { id, url, position, format } = JSON.parse(body.toString('utf8')) as Partial<Followed>;
    const isCaller = typeof id === 'string' && typeof url === 'string';
    return isCaller && isCount(position) && isCount(format) ? { id, url, position, format } : undefined;
  } catch {
    return undefined;
  }
}

function isCount(value: number | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
