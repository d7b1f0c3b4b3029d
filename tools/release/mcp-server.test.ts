/** server.json, which the registry of MCP servers reads, agrees with the package on npm. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
// @ts-expect-error: the tool is plain JavaScript
import { manifestOf } from '../packages/published.mjs';
// @ts-expect-error: the tool is plain JavaScript
import { rootFolder } from '../run/workspace.mjs';
// @ts-expect-error: the tool is plain JavaScript
import { withServerVersion } from './versions.mjs';

const server = JSON.parse(readFileSync(join(rootFolder as string, 'server.json'), 'utf8'));
const manifest = manifestOf('packages/fossick') as Record<string, string>;

test('names and versions are those of the package', () => {
  expect(manifest['mcpName']).toBe(server.name);
  expect(server.version).toBe(manifest['version']);
  expect(server.packages).toMatchObject([{ identifier: manifest['name'], version: manifest['version'] }]);
});

test('it is as the registry wants it', () => {
  expect(server.name).toMatch(/^io\.github\.[\w-]+\/[\w.-]+$/);
  expect(server.description.length).toBeLessThanOrEqual(100);
  expect(server.packages[0].transport).toEqual({ type: 'streamable-http', url: 'http://127.0.0.1:7700/mcp' });
});

test('a release writes its version everywhere in it', () => {
  const next = withServerVersion(server, '1.2.3-rc.1');
  expect(JSON.stringify(next)).not.toContain(`"${manifest['version']}"`);
  expect(next).toEqual({
    ...server,
    version: '1.2.3-rc.1',
    packages: [{ ...server.packages[0], version: '1.2.3-rc.1' }],
  });
});
