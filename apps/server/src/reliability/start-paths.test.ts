/**
 * Each path that a start opens, with something else in its place: the start ends with one sentence that names the path and says what
 * to do, and nothing is written.
 */
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDatabaseFolder, removeFolder } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';
import { EXTENSIONS } from '../extensions/extension-list.js';

const place = mkdtempSync(join(tmpdir(), 'fossick-paths-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));
writeFileSync(join(place, 'some.pem'), 'x');

const has = (name: string): boolean => EXTENSIONS.some((extension) => extension.name === name);

/** What is in the place of a folder or file. */
const PUT = {
  'a link that leads nowhere': (path: string) => symlinkSync('gone', path),
  'a link to itself': (path: string) => symlinkSync(path, path),
  'a file': (path: string) => writeFileSync(path, ''),
  'a folder': (path: string) => mkdirSync(path),
  'a file above it': (path: string) => writeFileSync(join(path, '..'), ''),
} as const;
type Kind = keyof typeof PUT;
const IN_PLACE_OF_FOLDER: readonly Kind[] = ['a link that leads nowhere', 'a link to itself', 'a file'];
const IN_PLACE_OF_FILE: readonly Kind[] = ['a link that leads nowhere', 'a link to itself', 'a folder'];

/** The error of a start, which must not succeed. */
async function refusalOf(folder: string, options: readonly string[]): Promise<Error> {
  const server = await startTestServer(folder, options).catch((error: Error) => error);
  if (server instanceof Error) return server;
  await server.stop();
  throw new Error(`a server started with ${options.join(' ')}`);
}

/** One sentence for the terminal that says what to do about a path. */
function expectSentence(error: Error, path: string): void {
  // the error of the built server is of another class of the same name
  expect(error.name === 'LaunchError' || error.constructor.name === 'OptionError', String(error.stack)).toBe(true);
  expect(error.message).not.toContain('\n');
  expect(error.message).toContain(path);
  expect(error.message).toMatch(/\b(name|bring|put|remove|start|give|write|use)\b/);
}

describe.skipIf(process.platform === 'win32')('a database in whose folder', () => {
  let folder: string;
  beforeAll(async () => {
    folder = newDatabaseFolder();
    const server = await startTestServer(folder);
    await server.call('POST', '/indexes/boats/documents', [{ id: 1 }]);
    await server.allTasksDone();
    await server.stop();
  });
  afterAll(() => removeFolder(folder));
  const namesIn = (): string[] => readdirSync(folder, { recursive: true }).map(String).sort();

  const added = EXTENSIONS.map(({ name }) => name);
  it.each(
    added.flatMap((name) => IN_PLACE_OF_FOLDER.map((kind) => [name, kind] as const)),
  )('%s is %s', async (name, kind) => {
    const path = join(folder, name);
    PUT[kind](path);
    try {
      const before = namesIn();
      // analytics open their folder only when they are on
      expectSentence(await refusalOf(folder, name === 'analytics' ? ['--search-analytics'] : []), path);
      expect(namesIn()).toEqual(before);
      expect(lstatSync(path).isSymbolicLink()).toBe(kind !== 'a file');
    } finally {
      rmSync(path);
    }
  });

  it.each(IN_PLACE_OF_FOLDER)('the folder of a node is %s, and clusters are left out', async (kind) => {
    const path = join(folder, 'cluster');
    PUT[kind](path);
    const error = await refusalOf(folder, ['--extensions=']).finally(() => rmSync(path));
    expectSentence(error, path);
  });

  it.skipIf(!has('analytics')).each(['a link that leads nowhere', 'a link to itself'] as const)(
    'a file of an extension is %s',
    async (kind) => {
      const path = join(folder, 'analytics', 'node');
      mkdirSync(join(folder, 'analytics'));
      PUT[kind](path);
      const error = await refusalOf(folder, ['--search-analytics']).finally(() =>
        rmSync(join(folder, 'analytics'), { recursive: true }),
      );
      expectSentence(error, path);
    },
  );
});

/** Options that name a path, and what else they need. */
const pem = join(place, 'some.pem');
const node = ['--cluster-objects', `file://${place}`, '--cluster-url', 'https://127.0.0.1:1'];
const FOLDERS: readonly (readonly [string, ...string[]])[] = has('transfer')
  ? [['--dump-dir'], ['--snapshot-dir']]
  : [];
const FILES: readonly (readonly [string, ...string[]])[] = [
  ['--config-file-path'],
  ['--ssl-cert-path', '--ssl-key-path', pem],
  ['--ssl-key-path', '--ssl-cert-path', pem],
  ['--ssl-auth-path', '--ssl-cert-path', pem, '--ssl-key-path', pem],
  ['--ssl-ocsp-path', '--ssl-cert-path', pem, '--ssl-key-path', pem],
  ...(has('transfer') ? ([['--import-dump'], ['--import-snapshot']] as const) : []),
  ...(has('cluster')
    ? ([
        ['--cluster-tls-cert', '--cluster-tls-key', pem, '--cluster-tls-ca', pem, ...node],
        ['--cluster-tls-key', '--cluster-tls-cert', pem, '--cluster-tls-ca', pem, ...node],
        ['--cluster-tls-ca', '--cluster-tls-cert', pem, '--cluster-tls-key', pem, ...node],
      ] as const)
    : []),
];

describe.skipIf(process.platform === 'win32')('a new database with', () => {
  it.each([
    ...[['--db-path'] as const, ...FOLDERS].flatMap((option) =>
      IN_PLACE_OF_FOLDER.map((kind) => [option, kind] as const),
    ),
    ...FILES.flatMap((option) => IN_PLACE_OF_FILE.map((kind) => [option, kind] as const)),
    ...[...FOLDERS, ...FILES].map((option) => [option, 'a file above it'] as const),
  ])('%j that is %s', async ([option, ...more], kind) => {
    const above = mkdtempSync(join(place, 'above-'));
    const path = kind === 'a file above it' ? join(above, 'file', 'below') : join(above, 'there');
    PUT[kind](path);
    const isDatabase = option === '--db-path';
    const before = readdirSync(above);
    const given = isDatabase ? [] : [option, path];
    expectSentence(await refusalOf(isDatabase ? path : join(above, 'db'), [...given, ...more]), path);
    expect(readdirSync(above)).toEqual(before);
  });
});
