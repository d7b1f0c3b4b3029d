import { join } from 'node:path';
import { FEATURE_NAMES } from '@fossick/api';
import { errorCodesOf, errorSchema, type Operation, zodOf } from '@fossick/api/openapi';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyFolders } from '../e2e/dumping-server.test-support.js';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';
import { allOperations } from '../extensions/extension-parts.test-support.js';
import { changed, valuesOf } from '../openapi/values.test-support.js';
import { rounds } from './rounds.test-support.js';

/** Random requests from the document of the API, right ones and wrong ones, get answers that it tells of, and no fault of the server. */
const MASTER_KEY = 'a master key for documented requests';
const seed = TEST_SEED;
const REQUESTS = Number(process.env['FOSSICK_TEST_ROUNDS'] ?? rounds(700, 20_000));
/** Values made up for each schema, which requests choose from. */
const VALUES_EACH = 12;

/** Never asked: one has no end, one wants the server to be started again. */
const LEFT_OUT = new Set(['streamBatches', 'streamLogs', 'streamTasks', 'compactTasks']);
/** Would call others in the name of the test: only their wrong bodies are sent. */
const CALLS_OUT = new Set(['createWebhook', 'updateWebhook', 'export', 'updateNetwork', 'completeChat']);
/** Copies of the whole instance: a few are enough. */
const COSTLY = new Set(['createDump', 'createSnapshot', 'compactIndex']);
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  indexUid: ['movies', 'movies', 'movies', 'empty', 'nowhere', 'no uid!', 'ü'],
  documentId: ['1', '2', 'nobody', 'no id!', '%'],
  taskUid: ['0', '1', '999999', 'x', '99999999999'],
  batchUid: ['0', '1', '999999', 'x'],
  key: ['ffffffff-ffff-4fff-8fff-ffffffffffff', 'nobody'],
  uuid: ['ffffffff-ffff-4fff-8fff-ffffffffffff', 'no-uuid', '00000000-0000-0000-0000-000000000000'],
  workspace: ['none', 'no uid!'],
  file: ['none.js'],
  copyUid: ['20300131-120000000', 'db', '../db', 'none'],
  ruleUid: ['promo', 'none', 'no uid!'],
};

let server: TestServer;
let folder = '';
beforeAll(async () => {
  folder = newDatabaseFolder();
  const copies = copyFolders(folder);
  server = await startTestServer(join(folder, 'db'), ['--master-key', MASTER_KEY, ...copies]);
  const key = { authorization: `Bearer ${MASTER_KEY}` };
  const features = Object.fromEntries(FEATURE_NAMES.map((name) => [name, true]));
  await server.call('PATCH', '/experimental-features', features, key);
  const documents = Array.from({ length: 30 }, (_, i) => ({
    id: i,
    title: `film ${i}`,
    genres: ['a', 'b'],
    year: 1990 + i,
  }));
  await server.call('POST', '/indexes/movies/documents', documents, key);
  await server.call(
    'PATCH',
    '/indexes/movies/settings',
    { filterableAttributes: ['genres', 'year'], sortableAttributes: ['year'] },
    key,
  );
  await server.call('POST', '/indexes', { uid: 'empty' }, key);
  await server.allTasksDone();
});
afterAll(async () => {
  await server.stop();
  removeFolder(folder);
});

/** A random number of [0, 1), the same row for the same seed. */
function randomOf(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Sent {
  readonly path: string;
  readonly init: RequestInit;
}

class Requests {
  private readonly bodies = new Map<string, readonly unknown[]>();
  private readonly queries = new Map<string, readonly unknown[]>();
  private readonly random: () => number;

  constructor() {
    this.random = randomOf(seed);
    for (const { id, body, query } of allOperations) {
      const options = { seed, numRuns: VALUES_EACH };
      if (body !== undefined) this.bodies.set(id, [body.example, ...fc.sample(valuesOf(body.schema), options)]);
      if (query !== undefined) this.queries.set(id, fc.sample(valuesOf(query), options));
    }
  }
  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)]!;
  }
  next(operation: Operation): Sent {
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(this.pick(PARAMETERS[name]!)),
    );
    const headers: Record<string, string> = {};
    const chance = this.random();
    // now and then a stranger, or somebody without a key
    if (chance > 0.04) headers['authorization'] = `Bearer ${chance < 0.08 ? 'nobody' : MASTER_KEY}`;
    const init: RequestInit = { method: operation.method.toUpperCase(), headers };
    const body = this.body(operation, headers);
    if (body !== undefined) init.body = body;
    return { path: `${path}${this.query(operation)}`, init };
  }
  private body({ id, body }: Operation, headers: Record<string, string>): string | undefined {
    if (body === undefined) return undefined;
    const value = this.pick(this.bodies.get(id)!);
    const isWrong = CALLS_OUT.has(id) || this.random() < 0.35;
    const given = CALLS_OUT.has(id)
      ? this.pick([[], 7, 'x', null, { stranger: 1 }])
      : isWrong
        ? changed(value, this.random)
        : value;
    const kind = this.random();
    if (kind > 0.03) headers['content-type'] = kind < 0.05 ? 'text/plain' : 'application/json';
    const [media, text] = this.pick(Object.entries(body.otherMedia ?? { 'application/json': '' }));
    if (media !== 'application/json' && kind > 0.7) {
      headers['content-type'] = media;
      return text;
    }
    const json = JSON.stringify(given);
    return kind > 0.05 && kind < 0.08 ? json.slice(0, -1) : json;
  }
  private query({ id, query }: Operation): string {
    if (this.random() < 0.03) return '?stranger=1';
    if (query === undefined || this.random() < 0.4) return '';
    const value = this.pick(this.queries.get(id)!) as Record<string, unknown>;
    const isWrong = this.random() < 0.25;
    const given = Object.entries(value).filter(([, member]) => member !== null && this.random() < 0.4);
    const texts = given.map(([name, member]) => [
      name,
      isWrong && this.random() < 0.5 ? 'of another kind' : textOf(member),
    ]);
    return `?${new URLSearchParams(texts).toString()}`;
  }
}

const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.join(',') : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** What is wrong with an answer, or null. */
async function wrongIn(operation: Operation, answer: Response): Promise<string | null> {
  const { status } = answer;
  const text = await answer.text();
  const documented = operation.answers.find((each) => each.status === status);
  if (status >= 500) return `${status}: ${text.slice(0, 300)}`;
  if (documented !== undefined) {
    const type = answer.headers.get('content-type') ?? '';
    if (documented.otherMediaType !== undefined && type.startsWith(documented.otherMediaType)) return null;
    if (documented.schema === undefined) return text === '' ? null : `${status} has a body`;
    if (documented.mediaType !== undefined)
      return answer.headers.get('content-type')?.startsWith(documented.mediaType) ? null : 'another media type';
    const parsed = zodOf(documented.schema).safeParse(JSON.parse(text));
    return parsed.success ? null : `${status}: ${parsed.error.message.slice(0, 300)} in ${text.slice(0, 200)}`;
  }
  const error = errorSchema.safeParse(text === '' ? null : JSON.parse(text));
  if (!error.success) return `${status} without an error: ${text.slice(0, 200)}`;
  const codes: readonly string[] = errorCodesOf(operation);
  return codes.includes(error.data.code)
    ? null
    : `${status} ${error.data.code} is not documented: ${error.data.message.slice(0, 200)}`;
}

describe(`requests from the document, seed ${seed}`, () => {
  it('get answers that it tells of', async () => {
    console.log(`documented requests: seed ${seed}`);
    const requests = new Requests();
    const asked = allOperations.filter(({ id }) => !LEFT_OUT.has(id));
    const left = new Map([...COSTLY].map((id) => [id, 3]));
    const wrongs = new Map<string, string>();
    const statuses = new Map<number, number>();
    for (let i = 0; i < REQUESTS; i++) {
      // each in turn first, so that none is left out
      const operation = i < asked.length ? asked[i]! : requests.pick(asked);
      const { path, init } = requests.next(operation);
      const rest = left.get(operation.id);
      if (rest === 0) continue;
      if (rest !== undefined) left.set(operation.id, rest - 1);
      const answer = await fetch(`${server.url}${path}`, init);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      const wrong = await wrongIn(operation, answer);
      if (wrong !== null)
        wrongs.set(
          `${operation.id} ${wrong.replace(/\d+/g, 'N').slice(0, 60)}`,
          `${init.method} ${path} ${String(init.body ?? '').slice(0, 300)}: ${wrong}`,
        );
    }
    console.log(
      `documented requests: ${[...statuses]
        .sort()
        .map(([status, count]) => `${count} x ${status}`)
        .join(', ')}`,
    );
    expect([...wrongs.values()]).toEqual([]);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });
});
