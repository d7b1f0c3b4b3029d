import { createServer, type Server, type Socket } from 'node:net';
import { LaunchError } from '@fossick/configuration';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Keeps the address while the database is made ready: nothing of it is touched for a server that could not listen. */
export interface AddressHold {
  /** Frees the address, for the server itself to take. */
  release(): Promise<void>;
}

/** Takes an address; whoever connects meanwhile is sent away at once. Throws LaunchError when it is taken or cannot be had. */
export async function holdAddress(address: ListenAddress): Promise<AddressHold> {
  // any free port will do then, and there will be one
  if (address.port === 0) return { release: () => Promise.resolve() };
  const server = createServer((socket: Socket) => socket.resetAndDestroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFault(error, address)));
    server.listen({ host: address.host, port: address.port }, resolve);
  });
  return { release: () => closed(server) };
}

/** What the operator is told of an address that cannot be listened on; any other error stays what it is. */
export function listenFault(error: unknown, { host, port }: ListenAddress): unknown {
  const name = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const launchError = (what: string): LaunchError =>
    new LaunchError(`cannot listen on ${name}: ${what}, or choose another address with --http-addr`, { cause: error });
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return launchError('another program listens there; stop it');
    case 'EACCES':
    case 'EPERM':
      return launchError('this user may not; take a port from 1024 on');
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return launchError('this machine has no such address; write one that it has');
    default:
      return error;
  }
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
