import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('./compare-revisions.mjs', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));
const hasServer = existsSync(`${root}/apps/server/dist/main.js`) || process.env.FOSSICK_TEST_BUILT === '1';
const run = (...words: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--smoke', ...words], { encoding: 'utf8' });
  return { status, stdout, stderr, result: JSON.parse(stdout.trim().split('\n').at(-1) || '{}') };
};

describe.skipIf(!hasServer)('a checkout compared with itself', () => {
  it('passes with a wide ratio, and both have the same answers', () => {
    const { status, stdout, result } = run('--base-folder', root, '--ratio', '20');
    expect(status).toBe(0);
    expect(stdout).toContain('| figure | base | head | cost |');
    expect(stdout).not.toContain('other documents');
    expect(result.figures.rounds).toHaveLength(2);
    expect(result.machine.node).toBe(process.version);
  });

  it('says what it needs', () => {
    expect(run().stderr).toContain('one of --base REVISION and --base-folder FOLDER');
    expect(run('--base-folder', root, '--ratio', 'much').stderr).toContain('--ratio: `much` is no positive number');
  });
});
