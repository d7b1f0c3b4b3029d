import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createEngine, LaunchError } from 'fossick';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  startServerProcess,
} from '../../apps/server/src/e2e/server-process.test-support.js';
import { type Film, films } from '../../packages/fossick/src/films.test-support.js';

const isBuilt = process.env.FOSSICK_TEST_BUILT === '1';

describe.skipIf(!isBuilt)('the folder of an engine', () => {
  let folder: string;
  beforeEach(() => {
    folder = newDatabaseFolder();
  });
  afterEach(() => removeFolder(folder));

  it('keeps what was added', async () => {
    const first = await createEngine({ path: folder });
    await first.index<Film>('films').add(films(50));
    await first.close();
    const second = await createEngine({ path: folder });
    expect((await second.index<Film>('films').stats()).numberOfDocuments).toBe(50);
    await second.close();
  });

  it('opens in a server, and a server’s opens in an engine', async () => {
    const engine = await createEngine({ path: folder });
    await engine.index<Film>('films').updateSettings({ filterableAttributes: ['year'] });
    await engine.index<Film>('films').add(films(100));
    const body = { q: 'wonderlnd', limit: 3, filter: 'year > 1900', showRankingScore: true } as const;
    const { q, ...parameters } = body;
    const inProcess = await engine.index<Film>('films').search(q, parameters);
    await engine.close();

    const server = await startServerProcess(folder);
    try {
      const overHttp = await server.call<typeof inProcess>('POST', '/indexes/films/search', body);
      expect(overHttp.body.hits).toEqual(inProcess.hits);
      expect(overHttp.body.estimatedTotalHits).toBe(inProcess.estimatedTotalHits);
      await server.call('POST', '/indexes/more/documents', films(20));
      await server.allTasksDone();
      // one at a time, told in the same words
      const refusal = await createEngine({ path: folder }).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(LaunchError);
      const told = (refusal as Error).message;
      expect(told).toContain(`is in use by another server (process ${server.pid})`);
      await expect(startServerProcess(folder)).rejects.toThrow(told);
    } finally {
      await server.stop();
    }
    const again = await createEngine({ path: folder });
    expect((await again.indexes()).map(({ uid }) => uid)).toEqual(['films', 'more']);
    expect((await again.index<Film>('more').stats()).numberOfDocuments).toBe(20);
    await expect(createEngine({ path: folder })).rejects.toThrow(LaunchError);
    await again.close();
  });

  it('keeps what had resolved when its process is killed, and does what waited when it is opened again', async () => {
    const program = `
      import { createEngine } from 'fossick';
      const engine = await createEngine({ path: process.argv[1] });
      const films = engine.index('films');
      await films.add([{ id: 1 }, { id: 2 }]);
      void films.add(Array.from({ length: 3000 }, (_, id) => ({ id, text: 'word '.repeat(20) })), {
        onProgress: ({ phase }) => phase === 'indexing' && process.kill(process.pid, 'SIGKILL'),
      });
      setTimeout(() => undefined, 600_000);`;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, folder], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      timeout: 600_000,
    });
    await expect(run).rejects.toMatchObject({ signal: 'SIGKILL' });
    const engine = await createEngine({ path: folder });
    const index = engine.index('films');
    expect((await index.stats()).numberOfDocuments).toBeGreaterThanOrEqual(2);
    // a change comes after those that wait
    await index.add([{ id: 5000 }]);
    expect((await index.stats()).numberOfDocuments).toBe(3001);
    await engine.close();
  });
});
