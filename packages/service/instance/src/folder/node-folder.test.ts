import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { refuseNodeFolder } from './node-folder.js';
import { NODE_FOLDER } from './node-names.js';

let dbPath: string;
beforeEach(() => {
  dbPath = mkdtempSync(join(tmpdir(), 'fossick-node-folder.'));
});
afterEach(() => rmSync(dbPath, { recursive: true }));

it.each([
  [[NODE_FOLDER, 'lanterns'], 'start it with --cluster-objects'],
  [['lanterns'], 'start it with a server that has the extension cluster and --cluster-objects'],
  [[], 'start it with a server that has the extension cluster and --cluster-objects'],
])('the folder of a node is refused, and what it needs is said, with the extensions %j', (extensions, said) => {
  expect(() => refuseNodeFolder(dbPath, extensions)).not.toThrow();
  mkdirSync(join(dbPath, NODE_FOLDER));
  expect(() => refuseNodeFolder(dbPath, extensions)).toThrow(said);
});
