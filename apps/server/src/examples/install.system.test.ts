import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { freePort } from '../e2e/server-process.test-support.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fossick-install-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!existsSync(join(ROOT, 'apps/server/dist/main.js')))('what the image and the unit are made by', () => {
  test('install.sh makes a folder in which the server starts, with nothing of the checkout', async (context) => {
    const target = join(folder, 'installed');
    try {
      await run('sh', ['deploy/docker/install.sh', target], { cwd: ROOT, timeout: 550_000 });
    } catch (error) {
      if (
        !/ENOTFOUND|ETIMEDOUT|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ECONNRESET/.test(
          String((error as { stderr?: string }).stderr),
        )
      )
        throw error;
      console.log('install.sh is not tried: no registry of packages can be reached');
      return context.skip();
    }
    // what is used for development alone is not in it
    for (const name of ['typescript', 'vitest', '@mantine/core'])
      expect(existsSync(join(target, 'node_modules', name))).toBe(false);
    const url = `http://127.0.0.1:${await freePort()}`;
    const server = spawn(process.execPath, [join(target, 'node_modules/@fossick/server/bin/fossick.js')], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        FOSSICK_HTTP_ADDR: url.slice(7),
        FOSSICK_DB_PATH: join(folder, 'data'),
        FOSSICK_NO_ANALYTICS: 'true',
      },
    });
    let told = '';
    for (const stream of [server.stdout, server.stderr])
      stream.on('data', (chunk) => {
        told += String(chunk);
      });
    const ended = new Promise<number | null>((resolve) => server.once('close', resolve));
    try {
      await expect
        .poll(
          () =>
            fetch(`${url}/health`).then(
              ({ status }) => status,
              () => told,
            ),
          { timeout: 120_000 },
        )
        .toBe(200);
      // the page has to be in the pack of the dashboard
      expect(await (await fetch(url, { headers: { accept: 'text/html' } })).text()).toContain('<script');
      await fetch(`${url}/indexes/a/documents`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '[{"id":1,"title":"Far away"}]',
      });
      const found = async (): Promise<unknown> => {
        const answer = await fetch(`${url}/indexes/a/search?q=far+awy`);
        return ((await answer.json()) as { hits?: unknown[] }).hits;
      };
      await expect.poll(found, { timeout: 120_000 }).toEqual([{ id: 1, title: 'Far away' }]);
    } finally {
      server.kill('SIGTERM');
    }
    expect(await ended).toBe(0);
  });

  test('the unit is one that systemd understands', (context) => {
    if (spawnSync('systemd-analyze', ['--version']).status !== 0) {
      console.log('the unit is not tried: there is no systemd-analyze here');
      return context.skip();
    }
    const unit = join(ROOT, 'deploy/systemd/fossick.service');
    const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' });
    const lines = stderr
      .split('\n')
      .filter((line) => line.includes('fossick.service') && !line.includes('is not executable'));
    expect(lines).toEqual([]);
  });
});
