import type { Extension } from '@fossick/runtime/extension';
import type { Loose } from '../spec-conformance/walk.test-support.js';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
  type TestServer,
} from './server-process.test-support.js';
import { startServerWith } from './test-server.test-support.js';

export const MASTER_KEY = 'a-master-key-of-more-than-16-bytes';

const MOVIES = [
  { id: 1, title: 'The Red Harbour', year: 1994, tenant: 'a', secret: 'hidden words' },
  { id: 2, title: 'Harbour of Ghosts', year: 2001, tenant: 'b', secret: 'hidden words' },
  { id: 3, title: 'A Quiet Valley', year: 2010, tenant: 'a', secret: 'hidden words' },
];

/** A server with three movies in the index `movies`, and an index `private` with one document. It may call this machine. */
export class MovieServer {
  server!: TestServer;
  private readonly folder = newDatabaseFolder();
  private readonly extensions: readonly Extension[] | undefined;

  /** `extensions`: instead of those of the product. */
  constructor(extensions?: readonly Extension[]) {
    this.extensions = extensions;
  }

  async start(options: readonly string[] = []): Promise<void> {
    const open = ['--master-key', MASTER_KEY, '--experimental-allowed-ip-networks', '127.0.0.1/32'];
    this.server = await this.startServer(`${this.folder}/data`, [...open, ...options]);
    await this.call('PATCH', '/indexes/movies/settings', {
      filterableAttributes: ['year', 'tenant'],
      displayedAttributes: ['id', 'title', 'year'],
    });
    await this.call('POST', '/indexes/movies/documents', MOVIES);
    await this.call('POST', '/indexes/private/documents', [{ id: 1, title: 'Payroll of the harbour' }]);
    await this.server.allTasksDone();
  }
  async stop(): Promise<void> {
    await this.server?.stop();
    removeFolder(this.folder);
  }

  protected startServer(folder: string, options: readonly string[]): Promise<TestServer> {
    return startServerWith(this.extensions, folder, options);
  }

  call(
    method: string,
    path: string,
    body?: unknown,
    key: string | null = MASTER_KEY,
  ): Promise<{ status: number; body: Loose }> {
    return this.server.call(method, path, body, key === null ? {} : { authorization: `Bearer ${key}` });
  }
}

/** The same with a process of its own. */
export class MovieProcess extends MovieServer {
  declare server: ServerProcess;

  protected override startServer(folder: string, options: readonly string[]): Promise<ServerProcess> {
    return startServerProcess(folder, options);
  }
}
