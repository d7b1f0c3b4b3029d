/** Runs the program and the command of docs/operations/running.md on webhooks as they are, but for ports. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  freePorts,
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '@fossick/server/e2e/server-process.test-support';
import { blocksOf, ROOT, Shell } from '@fossick/server/examples/page-blocks.test-support';
import { isBuilt } from '@fossick/server/reliability/launch.test-support';
import { describe, expect, onTestFinished, test } from 'vitest';

const PATIENT = { timeout: 60_000 };

describe.skipIf(!isBuilt)('the section on webhooks of docs/operations/running.md', () => {
  const page = readFileSync(join(ROOT, 'docs/operations/running.md'), 'utf8');
  const section = page.split('\n## ').find((part) => part.startsWith('Webhooks\n'))!;
  const [program, command] = blocksOf(section);

  /** A server with these options, and the page's receiver, which it has told of a finished task or could not; what the receiver prints. */
  async function told(options: readonly string[]): Promise<{ server: ServerProcess; printed: () => string }> {
    const folder = mkdtempSync(join(tmpdir(), 'fossick-webhooks-page-'));
    const database = newDatabaseFolder();
    const server = await startServerProcess(database, options);
    const port = await freePorts(1);
    const file = join(folder, 'receiver.mjs');
    writeFileSync(file, program!.text.replace('7777', String(port)));
    const receiver = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    const shell = new Shell({});
    onTestFinished(async () => {
      shell.end();
      receiver.kill('SIGKILL');
      await server.kill();
      removeFolder(database);
      rmSync(folder, { recursive: true, force: true });
    });
    let printed = '';
    receiver.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    const listens = async (): Promise<boolean> => {
      const socket = connect(port, '127.0.0.1');
      return once(socket, 'connect')
        .then(
          () => true,
          () => false,
        )
        .finally(() => socket.destroy());
    };
    await expect.poll(listens, PATIENT).toBe(true);
    const here = command!.text.replace('http://127.0.0.1:7700', server.url).replace('7777', String(port));
    const output = await shell.run(here);
    for (const part of command!.printed) expect(output).toContain(part);
    await server.call('POST', '/indexes/films/documents', [{ id: 1 }]);
    await server.allTasksDone();
    return { server, printed: () => printed };
  }

  test('its program prints finished tasks', async () => {
    const [, option] = /`(--experimental-allowed-ip-networks [\d./]+)`/.exec(section)!;
    const { printed } = await told(option!.split(' '));
    await expect.poll(printed, PATIENT).toBe('0 documentAdditionOrUpdate succeeded\n');
  });

  test('without the option the log says why nothing is sent', async () => {
    const { server, printed } = await told([]);
    await expect
      .poll(() => server.output(), PATIENT)
      .toMatch(/ERROR the webhook \S+ could not be told .* only `--experimental-allowed-ip-networks` opens/);
    expect(printed()).toBe('');
  });
});
