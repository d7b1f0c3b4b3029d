import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Where a server is reached that listens everywhere. */
const LOOPBACK: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);
/** Headers in the order in which clients send them: V8 compiles for shapes of objects that it has seen. */
const HEADERS = [
  'content-type: application/json\r\ncontent-length: $\r\nHost: localhost\r\nConnection: keep-alive\r\n',
  'host: localhost\r\nconnection: keep-alive\r\ncontent-type: application/json\r\naccept: */*\r\nuser-agent: node\r\naccept-encoding: identity\r\ncontent-length: $\r\n',
];

/** Requests after which another connection follows: sockets have other shapes at their first requests. */
const CONNECTION_REQUESTS = 16;

/** Searches of the server by itself, over HTTP/1: they compile what is between a connection and a search. */
export class OwnConnection {
  private socket: Socket | undefined;
  private askedCount = 0;

  /** Whether a connection of the server is the far end of this one, while it is open. */
  has(connection: object): boolean {
    const { localPort, localAddress } = this.socket ?? {};
    if (localPort === undefined) return false;
    const { remotePort, remoteAddress } = connection as Socket;
    return remotePort === localPort && remoteAddress === localAddress;
  }

  /** Asks for a search; one at a time. Resolves with the text of the answer. @throws Error when it is refused, or the server closes */
  async ask(app: FastifyInstance, key: string | null, indexUid: string, body: object): Promise<string> {
    if (this.askedCount % CONNECTION_REQUESTS === 0) this.socket?.destroy();
    const address = app.server.address() as AddressInfo | null;
    if (address === null) throw new Error('the server is closed');
    const socket = await this.open(address);
    const bytes = Buffer.from(JSON.stringify(body)).toString('latin1');
    const headers = HEADERS[this.askedCount++ % HEADERS.length]!.replace('$', String(bytes.length));
    const authorization = key === null ? '' : `authorization: Bearer ${key}\r\n`;
    const answer = answerFrom(socket);
    socket.write(`POST /indexes/${indexUid}/search HTTP/1.1\r\n${headers}${authorization}\r\n${bytes}`, 'latin1');
    return answer;
  }

  private async open({ address, port }: AddressInfo): Promise<Socket> {
    if (this.socket?.destroyed === false) return this.socket;
    const socket = connect(port, LOOPBACK.get(address) ?? address).unref();
    await once(socket, 'connect');
    this.socket = socket;
    // an error closes it
    socket
      .on('error', () => undefined)
      .once('close', () => {
        if (this.socket === socket) this.socket = undefined;
      });
    return socket;
  }
}

/** The body of the next answer, which has the status 200. */
function answerFrom(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const read = (part: Buffer): void => {
      bytes = Buffer.concat([bytes, part]);
      const bodyAt = bytes.indexOf('\r\n\r\n') + 4;
      const head = bytes.toString('latin1', 0, bodyAt);
      const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
      if (length === undefined || bytes.length < bodyAt + Number(length)) return;
      end();
      if (head.startsWith('HTTP/1.1 200 ')) resolve(bytes.toString('utf8', bodyAt));
      else reject(new Error(head));
    };
    const fail = (): void => {
      end();
      reject(new Error('the connection is closed'));
    };
    const end = (): void => void socket.off('data', read).off('close', fail);
    socket.on('data', read).on('close', fail);
  });
}
