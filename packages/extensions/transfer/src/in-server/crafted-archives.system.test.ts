/**
 * Dumps and snapshots that somebody has made to do harm, at the start that imports them: each is refused in a line that says why, nothing is
 * written outside of the database's folder, nothing is left in it, and nobody waits for more than the archive's own size.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { LaunchError } from '@fossick/instance';
import { newDatabaseFolder, removeFolder } from '@fossick/server/e2e/server-process.test-support';
import { complaints, isBuilt, launch } from '@fossick/server/reliability/launch.test-support';
import { isLongRun } from '@fossick/server/reliability/rounds.test-support';
import { type Headers, pack } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unpackArchive } from '../dumps/archive.js';
import { linesOf } from '../dumps/format/json-lines.js';
import { importAtLaunch } from '../launch-import.js';
import { readTransferWords } from '../options.test-support.js';

let folder: string;
beforeEach(() => {
  folder = newDatabaseFolder();
  mkdirSync(join(folder, 'db'));
  mkdirSync(join(folder, 'elsewhere'));
  writeFileSync(join(folder, 'elsewhere', 'kept'), 'as it was');
});
afterEach(() => removeFolder(folder));

type Entry = Headers & { readonly content?: string | Buffer; readonly pax?: Readonly<Record<string, string>> };
/** Text that stands for the path of the folder next to the database's. */
const ELSEWHERE = '<elsewhere>';

/** A dump that is whole, with other content for some of its files. */
function dumpWith(files: Readonly<Record<string, string>> = {}): Entry[] {
  const all: Record<string, string> = {
    'metadata.json': '{"dumpVersion":"V6","dbVersion":"1.50.0","dumpDate":"2024-01-01T00:00:00Z"}',
    'keys.jsonl': '',
    'tasks/queue.jsonl': '',
    'indexes/films/metadata.json': '{"uid":"films","primaryKey":"id","createdAt":"2024-01-01T00:00:00Z"}',
    'indexes/films/settings.json': '{}',
    'indexes/films/documents.jsonl': '{"id":1}\n{"id":2}\n',
    ...files,
  };
  return Object.entries(all).map(([name, content]) => ({ name, content }));
}

async function archiveOf(entries: readonly Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const { content, ...header } of entries) {
    const text = (name: string | undefined): string | undefined => name?.replace(ELSEWHERE, join(folder, 'elsewhere'));
    const placed = { ...header, name: text(header.name)! };
    if (header.linkname !== undefined && header.linkname !== null) placed.linkname = text(header.linkname)!;
    archive.entry(placed, content ?? '');
  }
  archive.finalize();
  const parts: Buffer[] = [];
  for await (const part of archive as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}

/** The header of one entry as it is in an archive, with other bytes at a place and the sum that goes with them. */
async function header(entry: Entry, place: number, bytes: Buffer): Promise<Buffer> {
  const block = Buffer.from((await archiveOf([entry])).subarray(0, 512));
  bytes.copy(block, place);
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
const SIZE_AT = 124;
const TYPE_AT = 156;

async function refusal(kind: 'dump' | 'snapshot', bytes: Buffer): Promise<string> {
  const file = join(folder, `crafted.${kind}`);
  writeFileSync(file, bytes);
  const launchImport = { kind, file, ignoreMissing: false, ignoreIfDbExists: false };
  const options = { isUpgradeAllowed: false, maxIndexingBytes: 64 << 20, maxSearchBytes: 16 << 20 };
  const { s3 } = readTransferWords([]);
  const archived = async () => [];
  const error = await importAtLaunch(launchImport, join(folder, 'db'), { options, s3, archived }).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(readdirSync(join(folder, 'elsewhere'))).toEqual(['kept']);
  expect(readFileSync(join(folder, 'elsewhere', 'kept'), 'utf8')).toBe('as it was');
  expect(readdirSync(folder).sort()).toEqual([`crafted.${kind}`, 'db', 'elsewhere']);
  if (error === undefined) return 'none';
  expect(readdirSync(join(folder, 'db'))).toEqual([]);
  expect(error).toBeInstanceOf(LaunchError);
  const { message } = error as Error;
  expect(message).not.toContain('\n');
  return message;
}

const file = (name: string, content = 'x'): Entry => ({ name, content });
const ENTRIES: readonly (readonly [what: string, says: RegExp, entries: readonly Entry[]])[] = [
  ['a path upwards', /outside of itself/, [file('../elsewhere/x')]],
  ['a path upwards from within', /outside of itself/, [file('indexes/../../elsewhere/kept')]],
  ['a full path', /outside of itself/, [file(`${ELSEWHERE}/kept`)]],
  ['a long path upwards', /outside of itself/, [file(`${'a/'.repeat(300)}${'../'.repeat(301)}elsewhere/x`)]],
  ['a path upwards of another header', /outside of itself/, [{ ...file('x'), pax: { path: '../elsewhere/x' } }]],
  ['a name that ends within', /outside of itself/, [{ ...file('x'), pax: { path: 'metadata.json\0.png' } }]],
  ['a file in place of the folder', /outside of itself/, [file('.')]],
  ['a link', /neither a file nor a folder/, [{ name: 'keys.jsonl', type: 'symlink', linkname: `${ELSEWHERE}/kept` }]],
  [
    'a link to a folder, and a file through it',
    /neither a file nor a folder/,
    [{ name: 'indexes', type: 'symlink', linkname: ELSEWHERE }, file('indexes/x')],
  ],
  ['a hard link', /neither a file nor a folder/, [{ name: 'VERSION', type: 'link', linkname: `${ELSEWHERE}/kept` }]],
  ...(['character-device', 'block-device', 'fifo'] as const).map(
    (type) =>
      [
        `a ${type}`,
        /neither a file nor a folder/,
        [{ name: 'metadata.json', type, ...(type === 'fifo' ? {} : { devmajor: 1, devminor: 5 }) }],
      ] as const,
  ),
  ['a name twice', /metadata\.json.* twice/, [file('metadata.json'), file('metadata.json')]],
  ['a name in two spellings', /metadata\.json.* twice/, [file('metadata.json'), file('./a/../metadata.json')]],
  ['a folder where a file is', /twice|not a directory/i, [file('indexes'), file('indexes/x')]],
  ['a file where a folder is', /twice|directory/i, [{ name: 'indexes', type: 'directory' }, file('indexes')]],
  ['a name of 100 KB', /too long/i, [file('x'.repeat(100_000))]],
  ['a header of 4 MB', /header of more than/, [{ ...file('x'), pax: { comment: 'x'.repeat(4_000_000) } }]],
];

/** Archives that no packer writes. */
const RAW: readonly (readonly [what: string, says: RegExp, make: () => Promise<Buffer>])[] = [
  [
    'a size of 8 GB',
    /end of/,
    async () => Buffer.concat([await header(file('x'), SIZE_AT, Buffer.from('77777777777\0')), Buffer.alloc(2_048)]),
  ],
  [
    'a size of 2^80',
    /size that no file has/,
    async () => header(file('x'), SIZE_AT, Buffer.from('800000010000000000000000', 'hex')),
  ],
  [
    'a size below nothing',
    /size that no file has/,
    async () => header(file('x'), SIZE_AT, Buffer.from(`${'ff'.repeat(11)}f0`, 'hex')),
  ],
  [
    'a size that is no number',
    /size that no file has/,
    async () => header(file('x'), SIZE_AT, Buffer.from('zzzzzzzzzzz\0')),
  ],
  [
    'a file with holes',
    /neither a file nor a folder/,
    async () => Buffer.concat([await header(file('x'), TYPE_AT, Buffer.from('S')), Buffer.alloc(2_048)]),
  ],
  ['half a header', /end of|header/i, async () => (await archiveOf([file('x')])).subarray(0, 300)],
  ['a header with another sum', /header/i, async () => Buffer.alloc(1_024, 'x')],
  ['nothing but zeros, a gigabyte of them', /no (dump|snapshot)|more than/, async () => Buffer.alloc(1_024)],
];

describe.each(['dump', 'snapshot'] as const)('a crafted %s', (kind) => {
  it.each(ENTRIES)('with %s is refused, and says so', async (_, says, entries) => {
    expect(await refusal(kind, gzipSync(await archiveOf(entries)))).toMatch(says);
  });

  it.each(RAW)('with %s is refused, and says so', async (_, says, make) => {
    expect(await refusal(kind, gzipSync(await make()))).toMatch(says);
  });

  it('that is cut anywhere is refused', async () => {
    const whole = gzipSync(await archiveOf(dumpWith()));
    for (let length = 0; length < whole.length; length += isLongRun ? 3 : 61)
      expect(await refusal(kind, whole.subarray(0, length)), `${length} bytes`).toMatch(/cannot be imported: ./);
  });

  it('that is none is refused', async () => {
    for (const bytes of [
      Buffer.from('no archive'),
      Buffer.alloc(100_000, 7),
      gzipSync(Buffer.alloc(0)),
      gzipSync('{}'),
    ])
      expect(await refusal(kind, bytes)).toMatch(/cannot be imported: ./);
  });

  it('a tenth of a megabyte of which is a gigabyte of one header costs no memory', async () => {
    const member = gzipSync(Buffer.alloc(16 << 20, 'x'));
    const start = await header(file('x'), SIZE_AT, Buffer.from('10000000000\0'));
    start.write('x', TYPE_AT);
    start.fill(' ', 148, 156);
    const sum = start.reduce((total, byte) => total + byte, 0);
    start.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    const before = process.memoryUsage().rss;
    const bytes = Buffer.concat([gzipSync(start), ...Array<Buffer>(64).fill(member)]);
    expect(await refusal(kind, bytes)).toMatch(/header of more than/);
    if (isLongRun) expect(process.memoryUsage().rss - before).toBeLessThan(200 << 20);
  });
});

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const CONTENTS: readonly (readonly [what: string, says: RegExp, files: Readonly<Record<string, string>>])[] = [
  [
    'a nested document',
    /documents of the index films: .*128 levels|127 levels/,
    { 'indexes/films/documents.jsonl': `{"id":1,"a":${nested(5_000)}}` },
  ],
  ['a document that is a list', /documents of the index films/, { 'indexes/films/documents.jsonl': '[1]' }],
  ['half a document', /documents of the index films/, { 'indexes/films/documents.jsonl': '{"id":1}\n{"id":' }],
  ['nested settings', /127 levels/, { 'indexes/films/settings.json': `{"synonyms":${nested(100_000)}}` }],
  ['settings of another kind', /./, { 'indexes/films/settings.json': '{"synonyms":[1],"rankingRules":{"a":1}}' }],
  ['settings that are a list', /an object is wanted/, { 'indexes/films/settings.json': '[]' }],
  ['a nested task', /127 levels/, { 'tasks/queue.jsonl': `{"uid":0,"details":${nested(100_000)}}` }],
  ['a nested key', /127 levels/, { 'keys.jsonl': `{"uid":${nested(100_000)}}` }],
  ['metadata that are none', /metadata\.json/, { 'metadata.json': 'V6' }],
  ['another version', /version V99/, { 'metadata.json': '{"dumpVersion":"V99"}' }],
  ['a version that is none', /version/, { 'metadata.json': '{"dumpVersion":{"toString":"x"}}' }],
];

describe('a dump', () => {
  it('that is whole is imported', async () => {
    expect(await refusal('dump', gzipSync(await archiveOf(dumpWith())))).toBe('none');
    expect(existsSync(join(folder, 'db', 'indexes'))).toBe(true);
  });

  it.each(CONTENTS)('with %s is refused, and says so', async (_, says, files) => {
    expect(await refusal('dump', gzipSync(await archiveOf(dumpWith(files))))).toMatch(says);
  });

  it('with more entries than may be is refused', async () => {
    const path = join(folder, 'many');
    const entries = Array.from({ length: 2_000 }, (_, at) => file(`tasks/update_files/${at}.jsonl`, ''));
    writeFileSync(path, gzipSync(await archiveOf(entries)));
    await expect(unpackArchive(path, join(folder, 'unpacked'), { entriesMax: 1_999 })).rejects.toThrow(
      'more than 1999',
    );
    await unpackArchive(path, join(folder, 'again'), { entriesMax: 2_000, isFlushed: false });
  });

  it('with a line longer than may be is refused, by its number', async () => {
    const path = join(folder, 'lines');
    writeFileSync(path, `{"a":1}\r\n\n{"b":"${'ü'.repeat(40_000)}"}\n{"c":3}`);
    const read = async (bytesMax: number): Promise<number> => {
      let count = 0;
      for await (const line of linesOf(path, bytesMax)) count += Object.keys(line as object).length;
      return count;
    };
    expect(await read(100_000)).toBe(3);
    await expect(read(70_000)).rejects.toThrow('lines, line 3: it is longer than 70000 bytes');
  });

  it.skipIf(!isLongRun).each([
    ['tasks/queue.jsonl', /queue\.jsonl, line 1: it is longer than/],
    ['indexes/films/settings.json', /settings\.json: it is longer than/],
    ['indexes/films/documents.jsonl', /documents of the index films: .*larger than/],
  ])('whose %s is one line of a gigabyte is refused in a process of its own, and says so', async (name, says) => {
    const blocks = Array<Buffer>(64).fill(gzipSync('x'.repeat(16 << 20)));
    const start = await header(file(name), SIZE_AT, Buffer.from('10000000000\0'));
    const others = withoutEntry((await archiveOf(dumpWith())).subarray(0, -1_024), name);
    const opened = Buffer.from('{"id":1,"a":"');
    const first = Buffer.concat([opened, Buffer.alloc((16 << 20) - opened.length, 'x')]);
    const bytes = Buffer.concat([gzipSync(others), gzipSync(start), gzipSync(first), ...blocks.slice(1)]);
    const path = join(folder, 'long.dump');
    writeFileSync(path, Buffer.concat([bytes, gzipSync(Buffer.alloc(1_024))]));
    const { code, stderr } = await (await launch(join(folder, 'db'), ['--import-dump', path])).ended;
    expect(code).toBe(1);
    expect(complaints(stderr)).toEqual([expect.stringMatching(says)]);
    expect(readdirSync(join(folder, 'db'))).toEqual([]);
  });

  it.skipIf(!isBuilt)('that is refused ends a process with one line, and nothing is served', async () => {
    const path = join(folder, 'crafted.dump');
    writeFileSync(path, gzipSync(await archiveOf([file('../elsewhere/x')])));
    const { code, stderr } = await (await launch(join(folder, 'db'), ['--import-dump', path])).ended;
    expect(code).toBe(1);
    expect(complaints(stderr)).toEqual([
      expect.stringMatching(/crafted\.dump cannot be imported: .*outside of itself/),
    ]);
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual(['kept']);
  });
});

/** The archive's blocks but for those of one entry of less than a block. */
function withoutEntry(archive: Buffer, name: string): Buffer {
  for (let at = 0; at < archive.length; at += 512)
    if (archive.subarray(at, at + name.length + 1).toString() === `${name}\0`) {
      const size = Number.parseInt(archive.subarray(at + SIZE_AT, at + SIZE_AT + 11).toString(), 8);
      return Buffer.concat([archive.subarray(0, at), archive.subarray(at + 512 + Math.ceil(size / 512) * 512)]);
    }
  return archive;
}
