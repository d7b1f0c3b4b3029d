import { createServer, type Server, type Socket } from 'node:net';
import { LaunchError } from '../configuration/launch-error.js';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Reserves the address while the database is prepared: nothing in it is changed for a server that could not listen. */
export interface AddressReservation {
  /** Frees the address for the server. */
  release(): Promise<void>;
}

/**
 * Reserves an address; connections are closed at once meanwhile. Throws LaunchError when it is in use or unavailable.
 */
export async function reserveAddress(address: ListenAddress): Promise<AddressReservation> {
  // any free port will do later
  if (address.port === 0) return { release: () => Promise.resolve() };
  const server = createServer((socket: Socket) => socket.resetAndDestroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFault(error, address)));
    server.listen({ host: address.host, port: address.port }, resolve);
  });
  return { release: () => closed(server) };
}

/** The operator's message for an address that cannot be used; any other error is returned unchanged. */
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
