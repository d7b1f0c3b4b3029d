import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { configurationPage } from './configuration-page.js';
import { variableOf } from './environment.js';
import { OPTIONS } from './option-table.js';

const PAGE_FILE = fileURLToPath(new URL('../../../../../docs/configuration.md', import.meta.url));

it('docs/configuration.md matches the table of options: run with -u to rewrite it', async () => {
  await expect(configurationPage()).toMatchFileSnapshot(PAGE_FILE);
});

it('every option has a name of its own, in each way to set it', () => {
  for (const names of [OPTIONS.map(({ flag }) => flag), OPTIONS.map(variableOf)])
    expect(new Set(names).size).toBe(names.length);
});
