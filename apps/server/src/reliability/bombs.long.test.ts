/**
 * Bodies that become a hundred to a thousand times as large when they are decoded, and bodies of very many small parts, for every route that the
 * application registers: each is answered, none by a fault, and a search and /health go on meanwhile.
 */

import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { FEATURE_NAMES } from '@fossick/api';
import type { Operation } from '@fossick/api/openapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyFolders } from '../e2e/dumping-server.test-support.js';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { allOperations } from '../extensions/extension-parts.test-support.js';
import { isBuilt } from './launch.test-support.js';
import { expectShortWaits } from './probe.test-support.js';
import { isLongRun } from './rounds.test-support.js';
import { startSender } from './sender.test-support.js';

/** What stands for each parameter of a path. */
const PARAMETERS: Readonly<Record<string, string>> = {
  indexUid: 'target',
  documentId: '1',
  taskUid: '999999',
  batchUid: '999999',
  key: 'ffffffff-ffff-4fff-8fff-ffffffffffff',
  uuid: 'ffffffff-ffff-4fff-8fff-ffffffffffff',
  workspace: 'none',
  ruleUid: 'none',
};
const MIB = 1 << 20;
/** What a bomb has in the end: twenty times what any body may have. */
const DECODED_BYTES = isLongRun ? 10_000_000_000 : 2_000_000_000;

interface Bomb {
  readonly name: string;
  readonly encoding: string | null;
  readonly body: Buffer;
  readonly mediaType?: string;
}

/** One member over and over: a stream of gzip may have any number of them. */
function repeatedGzip(text: string | Buffer, decodedBytes: number): Buffer {
  const member = gzipSync(text);
  return Buffer.concat(Array(Math.ceil(decodedBytes / text.length)).fill(member));
}
/** One block of a stream of zlib over and over, without its end: nobody reads that far. */
function repeatedDeflate(text: Buffer, decodedBytes: number): Buffer {
  const [head, block] = [2, deflateSync(text, { finishFlush: constants.Z_FULL_FLUSH })];
  const blocks = Array(Math.ceil(decodedBytes / text.length)).fill(block.subarray(head));
  return Buffer.concat([block.subarray(0, head), ...blocks]);
}

function makeBombs(): Bomb[] {
  const zeros = Buffer.alloc(16 * MIB);
  const parts = `[${'{},'.repeat(3_000_000)}{}]`;
  const nested = `${'['.repeat(4_000_000)}${']'.repeat(4_000_000)}`;
  const brotli = (text: string | Buffer) =>
    brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 2, [constants.BROTLI_PARAM_LGWIN]: 24 } });
  return [
    { name: 'gzip of zeros, member by member', encoding: 'gzip', body: repeatedGzip(zeros, DECODED_BYTES) },
    { name: 'deflate of zeros', encoding: 'deflate', body: repeatedDeflate(zeros, DECODED_BYTES) },
    { name: 'br of blanks', encoding: 'br', body: brotli(Buffer.alloc(150_000_000, ' ')) },
    // nobody decodes this one, so it is no JSON
    { name: 'zstd', encoding: 'zstd', body: Buffer.concat([Buffer.from('28b52ffd', 'hex'), Buffer.alloc(8 * MIB)]) },
    { name: 'gzip of gzip', encoding: 'gzip', body: gzipSync(repeatedGzip(zeros, DECODED_BYTES)) },
    { name: 'gzip, gzip', encoding: 'gzip, gzip', body: gzipSync(gzipSync(zeros)) },
    { name: 'gzip of three million objects', encoding: 'gzip', body: gzipSync(parts) },
    { name: 'br of nested lists', encoding: 'br', body: brotli(nested) },
    { name: 'three million objects', encoding: null, body: Buffer.from(parts) },
    { name: '300,000 empty members of gzip', encoding: 'gzip', body: repeatedGzip(Buffer.alloc(1), 300_000) },
    {
      name: 'gzip of one string',
      encoding: 'gzip',
      body: repeatedGzip(`{"q":"${'x'.repeat(16 * MIB)}`, DECODED_BYTES),
    },
    {
      name: 'gzip of lines of CSV',
      encoding: 'gzip',
      body: repeatedGzip(','.repeat(16 * MIB), DECODED_BYTES),
      mediaType: 'text/csv',
    },
    {
      name: 'br of empty lines',
      encoding: 'br',
      body: brotli(Buffer.alloc(150_000_000, '\n')),
      mediaType: 'application/x-ndjson',
    },
  ];
}

/** Memory of a process that is no file's, in bytes; Linux only. */
function ownBytes(pid: number): number {
  const line = /RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) * 1_024;
}

/** Those that take bodies, and those that leave them unread; of the settings, all of which one function registers, three in the short form. */
const TARGETS = allOperations.filter(({ id, method, path }) => {
  // after it nothing is written until the next start
  if (id === 'compactTasks') return false;
  return method !== 'get' && (isLongRun || !/\/settings\/(?!synonyms|embedders|chat)/.test(path));
});
const pathOf = ({ path }: Operation): string => path.replace(/\{(\w+)\}/g, (_, name: string) => PARAMETERS[name]!);

let folder: string;
let server: ServerProcess;
let bombs: readonly Bomb[] = [];

beforeAll(async () => {
  if (!isBuilt) return;
  bombs = makeBombs();
  folder = newDatabaseFolder();
  server = await startServerProcess(`${folder}/db`, [...copyFolders(folder), ...['--search-threads', '1']]);
  const features = Object.fromEntries(FEATURE_NAMES.map((name) => [name, true]));
  await server.call('PATCH', '/experimental-features', features);
  for (const uid of ['probe', 'target'])
    await server.call('POST', `/indexes/${uid}/documents`, [{ id: 1, name: 'probe' }]);
  await server.allTasksDone();
}, 60_000);
afterAll(async () => {
  await server?.kill();
  if (folder !== undefined) removeFolder(folder);
});

describe.skipIf(!isBuilt)('bombs', () => {
  const kinds = isLongRun ? 13 : 4;
  it.each(
    Array.from({ length: kinds }, (_, at) => at),
  )('for every route are answered and hold nobody up, row %d', async (row) => {
    const wrongs: string[] = [];
    const before = ownBytes(server.pid);
    let [sentCount, peakBytes, peakAfter] = [0, 0, ''];
    await expectShortWaits(server, async () => {
      const senders: { readonly what: string; readonly go: () => Promise<number> }[] = [];
      for (const [at, operation] of TARGETS.entries()) {
        // rows of the short form share them out, those of the long form give every route each
        if (!isLongRun && at % kinds !== row) continue;
        const bomb = bombs[(at + row) % bombs.length]!;
        const headers = { 'content-type': bomb.mediaType ?? 'application/json' };
        const encoded = bomb.encoding === null ? headers : { ...headers, 'content-encoding': bomb.encoding };
        const method = operation.method.toUpperCase();
        const go = await startSender(server.url + pathOf(operation), method, bomb.body, encoded);
        senders.push({ what: `${method} ${operation.path}: ${bomb.name}`, go });
      }
      return async () => {
        for (const { what, go } of senders) {
          const status = await go();
          sentCount += 1;
          const nowBytes = ownBytes(server.pid);
          if (nowBytes > peakBytes) [peakBytes, peakAfter] = [nowBytes, what];
          if (status >= 500) wrongs.push(`${what}: ${status}`);
        }
      };
    });
    console.log(
      `bombs: row ${row}, ${sentCount} sent, ${Math.round((peakBytes - before) / MIB)} MiB more at most, after ${peakAfter}`,
    );
    expect(wrongs).toEqual([]);
    expect(peakBytes - before).toBeLessThan(700 * MIB);
    expect((await server.call('GET', '/health')).status).toBe(200);
  }, 240_000);
});
