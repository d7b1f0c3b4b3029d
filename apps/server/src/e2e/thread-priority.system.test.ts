import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
  threadPriorities,
} from './server-process.test-support.js';

const IS_BUILT = existsSync(fileURLToPath(new URL('../../dist/main.js', import.meta.url)));

describe.skipIf(!IS_BUILT || process.platform !== 'linux')('priorities of threads', () => {
  const folder = newDatabaseFolder();
  let server: ServerProcess | undefined;
  afterEach(async () => {
    await server?.kill();
    removeFolder(folder);
  });

  it('one thread, the writer, lets the others come first', async () => {
    server = await startServerProcess(folder);
    await server.call('POST', '/indexes/movies/documents', [{ id: 1 }]);
    await server.allTasksDone();
    const priorities = threadPriorities(server.pid);
    const main = priorities.get(String(server.pid))!;
    const lower = [...priorities.values()].filter((priority) => priority > main);
    expect(lower).toHaveLength(1);
  });
});
