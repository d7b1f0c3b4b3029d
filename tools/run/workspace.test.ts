import { expect, test } from 'vitest';
// @ts-expect-error: the tool is plain JavaScript
import { lackingPackages } from './workspace.mjs';

const LOCKED = {
  '': { version: '0.1.0' },
  'packages/foundation/threads': { version: '0.1.0' },
  'node_modules/@fossick/threads': { link: true },
  'node_modules/yaml': { version: '2.9.1' },
  'node_modules/of-another-system': { version: '1.0.0', optional: true },
  'apps/server/node_modules/client': { version: '0.62.0' },
};

test('installed packages are complete when each of the lock file is there in its version', () => {
  expect(lackingPackages(LOCKED, LOCKED)).toEqual([]);
  const { 'node_modules/of-another-system': _, ...without } = LOCKED;
  expect(lackingPackages(LOCKED, without)).toEqual([]);
});

test('a new workspace, a new package and another version are found, whatever the times of the files', () => {
  const older = { 'node_modules/yaml': { version: '2.8.0' }, 'apps/server/node_modules/client': { version: '0.62.0' } };
  expect(lackingPackages(LOCKED, older)).toEqual(['node_modules/@fossick/threads', 'node_modules/yaml']);
  expect(lackingPackages(LOCKED, {})).toContain('apps/server/node_modules/client');
});
