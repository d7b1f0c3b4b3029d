import { fileURLToPath } from 'node:url';
import { OptionTable } from '@fossick/instance';
import { commandsOf, configurationPage, variableOf } from '@fossick/instance/invocation';
import { expect, it } from 'vitest';
import { EXTENSIONS } from './extension-list.js';

const PAGE_FILE = fileURLToPath(new URL('../../../../docs/reference/configuration.md', import.meta.url));
const table = new OptionTable(
  EXTENSIONS.flatMap(({ options }) => options ?? []),
  {
    restoring: EXTENSIONS.flatMap(({ restore }) => restore ?? []),
    commands: EXTENSIONS.flatMap(({ commands }) => commands ?? []),
  },
);

it('docs/reference/configuration.md matches the table of options: run with -u to rewrite it', async () => {
  await expect(configurationPage(table, commandsOf(table))).toMatchFileSnapshot(PAGE_FILE);
});

it('every option has a name of its own, in each way to set it', () => {
  for (const names of [table.all.map(({ flag }) => flag), table.all.map(variableOf)])
    expect(new Set(names).size).toBe(names.length);
});
