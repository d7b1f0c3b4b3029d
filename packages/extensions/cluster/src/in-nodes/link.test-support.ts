import { connect as connectTo, createServer, type Server, type Socket } from 'node:net';

/**
 * `open`: bytes pass. `cut`: connections end, and new ones are refused at once. `stuck`: connections stay, and nothing
 * passes. `deaf`: what is sent arrives, and no answer comes back.
 */
export type LinkState = 'open' | 'cut' | 'stuck' | 'deaf';

/** A link of TCP through a port of its own, which fails when a test wants it. */
export class Link {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private state: LinkState = 'open';
  /** How many connections have been made, or tried. */
  callerCount = 0;
  /** The port of 127.0.0.1 where it leads. */
  target: number;

  private constructor(target: number) {
    this.target = target;
    this.server = createServer({ pauseOnConnect: true }, (caller) => this.join(caller));
  }

  static async open(target: number): Promise<Link> {
    const link = new Link(target);
    await new Promise<void>((resolve) => link.server.listen(0, '127.0.0.1', resolve));
    return link;
  }

  get port(): number {
    const address = this.server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  become(state: LinkState): void {
    this.state = state;
    // bytes that were held are lost: a connection that has missed some cannot go on
    if (state === 'cut' || state === 'open') for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.become('cut');
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(caller: Socket): void {
    this.callerCount += 1;
    if (this.state === 'cut') {
      caller.destroy();
      return;
    }
    const target = connectTo({ host: '127.0.0.1', port: this.target, noDelay: true });
    for (const [from, to] of [
      [caller, target],
      [target, caller],
    ] as const) {
      this.sockets.add(from);
      from.on('data', (bytes) => {
        const passes = this.state === 'open' || (this.state === 'deaf' && from === caller);
        if (passes && !to.destroyed) to.write(bytes);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
    }
    caller.resume();
  }
}
