/** Runs the commands of docs/operations/cluster.md as they are, but for ports. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@fossick/server/e2e/server-process.test-support';
import { blocksOf, ROOT, Shell } from '@fossick/server/examples/page-blocks.test-support';
import { isBuilt } from '@fossick/server/reliability/launch.test-support';
import { afterAll, describe, expect, test } from 'vitest';

const STOP = 'kill $(cat ~/fossick-cluster/*.pid)';

describe.skipIf(!isBuilt)('the commands of docs/operations/cluster.md', () => {
  const blocks = blocksOf(readFileSync(join(ROOT, 'docs/operations/cluster.md'), 'utf8')).filter(
    ({ language }) => language === 'sh',
  );
  const folder = mkdtempSync(join(tmpdir(), 'fossick-cluster-page-'));
  const shell = new Shell({ HOME: folder });
  afterAll(async () => {
    await shell.run('kill -9 $(cat ~/fossick-cluster/*.pid 2> /dev/null) 2> /dev/null');
    shell.end();
    rmSync(folder, { recursive: true, force: true });
  });
  /** Consecutive ports, as on the page. */
  let base: { readonly http: number; readonly nodes: number } | undefined;

  async function onThisMachine(text: string): Promise<string> {
    base ??= { http: await freePorts(3), nodes: await freePorts(3) };
    const { http, nodes } = base;
    return text.replaceAll(/\b77([01])(\d)\b/g, (_, kind: string, at: string) =>
      String((kind === '0' ? http : nodes) + Number(at)),
    );
  }

  test.each(blocks.map((block, at) => [`${at + 1}: ${block.text.split('\n', 1)[0]}`, block] as const))('%s', async (_, {
    text,
    printed,
  }) => {
    const output = await shell.run(await onThisMachine(text));
    for (const part of printed) expect(output).toContain(part);
    if (printed.length === 0) expect(output).not.toContain('"code":');
  });

  test('end with the nodes', () => {
    expect(blocks.at(-1)!.text).toContain(STOP);
  });
});
