import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../examples/page-blocks.test-support.js';
import { CLIENTS, clientsPage } from './client-table.test-support.js';

it('docs/guides/clients.md matches the versions that the suites run: run with -u to rewrite it', async () => {
  await expect(clientsPage()).toMatchFileSnapshot(join(ROOT, 'docs/guides/clients.md'));
});

it.each(CLIENTS.map((row) => [row.name, row] as const))('%s is run by its suite', (_name, { suite, mark }) => {
  expect(readFileSync(join(ROOT, suite), 'utf8')).toContain(mark);
});
