/** Proxies that count what nodes ask of the stores of a cluster: requests of S3, statements of PostgreSQL, and bytes of both directions. */
import { createServer as createHttpServer, request as httpRequest } from 'node:http';
import { connect, createServer } from 'node:net';

/** `sent`: bytes to the store, of bodies for S3; `received`: bytes from it. */
const noCounts = () => ({ calls: {}, sent: 0, received: 0 });

/** What was counted between two looks at the counts. */
export function difference(after, before) {
  const names = new Set([...Object.keys(after.calls), ...Object.keys(before.calls)]);
  const calls = Object.fromEntries(
    [...names].sort().map((name) => [name, (after.calls[name] ?? 0) - (before.calls[name] ?? 0)]),
  );
  return { calls, sent: after.sent - before.sent, received: after.received - before.received };
}

class CountingProxy {
  counts = noCounts();
  #server;
  #sockets = new Set();

  constructor(server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  async listen() {
    await new Promise((resolve, reject) => this.#server.once('error', reject).listen(0, '127.0.0.1', resolve));
    return this.#server.address().port;
  }

  look() {
    return structuredClone(this.counts);
  }

  count(name, sent = 0, received = 0) {
    const { counts } = this;
    if (name !== null) counts.calls[name] = (counts.calls[name] ?? 0) + 1;
    counts.sent += sent;
    counts.received += received;
  }

  async end() {
    const ended = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await ended;
  }
}

/** In front of the endpoint of a URL `s3://bucket/prefix?endpoint=http://…`: the proxy, and the URL by which nodes use it. */
export async function countRequests(url) {
  const [base, query] = url.split('?');
  const parameters = new URLSearchParams(query);
  const endpoint = new URL(parameters.get('endpoint'));
  const server = createHttpServer((asked, answer) => {
    const { method, url: path, headers } = asked;
    proxy.count(operationOf(method, path));
    // the host stays as it was signed
    const passed = httpRequest({ host: endpoint.hostname, port: endpoint.port, method, path, headers }, (given) => {
      answer.writeHead(given.statusCode, given.rawHeaders);
      given.on('data', ({ length }) => proxy.count(null, 0, length)).pipe(answer);
    });
    passed.once('error', () => answer.destroy());
    asked.on('data', ({ length }) => proxy.count(null, length)).pipe(passed);
  });
  const proxy = new CountingProxy(server);
  parameters.set('endpoint', `http://127.0.0.1:${await proxy.listen()}`);
  return { proxy, url: `${base}?${parameters}` };
}

function operationOf(method, path) {
  return method === 'GET' && /[?&]list-type=/.test(path) ? 'LIST' : method;
}

/** In front of the server of a URL `postgres://user@host:port/database`, without TLS. */
export async function countStatements(url) {
  const target = new URL(url);
  const { hostname, port } = target;
  const server = createServer((client) => {
    const upstream = connect(Number(port || 5432), hostname);
    const reader = new StatementReader(() => proxy.count('statements'));
    client.on('data', (chunk) => {
      proxy.count(null, chunk.length);
      reader.take(chunk);
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      proxy.count(null, 0, chunk.length);
      client.write(chunk);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ])
      one.once('error', () => other.destroy()).once('close', () => other.destroy());
  });
  const proxy = new CountingProxy(server);
  target.hostname = '127.0.0.1';
  target.port = String(await proxy.listen());
  return { proxy, url: target.href };
}

/** Messages that run a statement: a simple query, and the execution of a prepared one. */
const STATEMENTS = new Set(['Q', 'E'].map((letter) => letter.charCodeAt(0)));

/** Reads messages of a client of PostgreSQL: the first has no type, each other one a letter and its length. */
class StatementReader {
  #rest = Buffer.alloc(0);
  #skipped = 0;
  #isStarted = false;
  #onStatement;

  constructor(onStatement) {
    this.#onStatement = onStatement;
  }

  take(chunk) {
    const skipped = Math.min(this.#skipped, chunk.length);
    this.#skipped -= skipped;
    let bytes = Buffer.concat([this.#rest, chunk.subarray(skipped)]);
    for (;;) {
      const head = this.#isStarted ? 5 : 4;
      if (bytes.length < head) break;
      const length = bytes.readInt32BE(head - 4) + head - 4;
      if (this.#isStarted && STATEMENTS.has(bytes[0])) this.#onStatement();
      this.#isStarted = true;
      this.#skipped = Math.max(0, length - bytes.length);
      bytes = bytes.subarray(Math.min(length, bytes.length));
    }
    this.#rest = bytes;
  }
}
