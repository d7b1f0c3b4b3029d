import type { ServerOptions } from '@fossick/instance';
import { composeServer } from './compose.js';
import type { RunningServer } from './running-server.js';

/** Composes a server and listens. Throws LaunchError when that is impossible. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  return (await composeServer(options)).listen();
}
