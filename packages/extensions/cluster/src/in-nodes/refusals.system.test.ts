/** A node that must not be part of a cluster says why, in one line. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort, newDatabaseFolder, removeFolder } from '@fossick/server/e2e/server-process.test-support';
import { complaints, isBuilt, launch } from '@fossick/server/reliability/launch.test-support';
import { afterEach, describe, expect, it } from 'vitest';

const KEY = 'a key of more than sixteen bytes';
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe.skipIf(!isBuilt)('a node that is refused', () => {
  it('says why in one line', async () => {
    const folder = newDatabaseFolder();
    cleanups.push(() => removeFolder(folder));
    const options = async (objects: string, more: readonly string[], port?: number): Promise<string[]> => {
      const at = `127.0.0.1:${port ?? (await freePort())}`;
      const shared = ['--cluster-objects', pathToFileURL(join(folder, objects)).href];
      return [...shared, '--cluster-listen', at, '--cluster-url', `http://${at}`, '--cluster-secret', KEY, ...more];
    };
    const first = await launch(join(folder, 'first'), await options('objects', ['--master-key', KEY]));
    cleanups.push(() => first.child.kill('SIGKILL'));
    await expect
      .poll(() =>
        fetch(`${first.url}/health`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      .toBe(true);
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => void taken.close());
    const takenPort = (taken.address() as { readonly port: number }).port;
    const keys = [`${KEY}s`, KEY.toUpperCase(), KEY.slice(1), 'x'.repeat(16)].map((key) => ['--master-key', key]);
    writeFileSync(join(folder, 'file'), 'no folder');
    const file = pathToFileURL(join(folder, 'file')).href;
    const refusals: readonly (readonly [RegExp, readonly string[]])[] = [
      ...(await Promise.all(
        [...keys, []].map(async (more) => [/another master key/, await options('objects', more)] as const),
      )),
      [/--cluster-objects: \S+file is a file, or below one: name a folder/, await options('file', [])],
      [/--cluster-objects: \S+file\/x is a file, or below one: name a folder/, await options('file/x', [])],
      [
        /--cluster-log: \S+file is a file, or below one: name a folder/,
        await options('others', ['--cluster-log', file]),
      ],
      [/cannot listen on 127\.0\.0\.1/, await options('objects', ['--master-key', KEY], takenPort)],
    ];
    for (const [at, [reason, given]] of refusals.entries()) {
      const { code, stderr } = await (await launch(join(folder, `node-${at}`), given)).ended;
      const lines = complaints(stderr);
      expect(lines).toEqual([expect.stringMatching(reason)]);
      expect([code, lines[0]!.startsWith('fossick: ')]).toEqual([1, true]);
    }
  });
});
