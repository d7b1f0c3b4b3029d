/** Every source of vectors, from documents that come in to searches, through the running server; providers are on sockets of this machine. */
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';
import { vectorOf } from './provider.test-support.js';

/** A folder with a model for the huggingFace source (see docs/reference/embedding.md); its peer has to be installed as well. */
const MODEL = process.env.FOSSICK_TEST_MODEL;
const DOCUMENTS = [
  { id: 1, title: 'A robot and a girl become friends' },
  { id: 2, title: 'Two chefs fight for a kitchen in Paris' },
  { id: 3, title: 'Soldiers cross a river at night' },
];

interface Asked {
  readonly path: string;
  readonly key: string | undefined;
  readonly model: unknown;
  readonly dimensions: unknown;
  readonly texts: readonly string[];
}
const asked: Asked[] = [];
/** What each protocol calls its inputs and answers with its vectors. */
const PROTOCOLS: Readonly<
  Record<string, { readonly inputs: string; readonly answer: (vectors: number[][]) => object }>
> = {
  '/v1/embeddings': {
    inputs: 'input',
    // out of order, as the protocol allows
    answer: (vectors) => ({ data: vectors.map((embedding, index) => ({ index, embedding })).reverse() }),
  },
  '/api/embed': { inputs: 'input', answer: (embeddings) => ({ embeddings }) },
  '/api/embeddings': { inputs: 'prompt', answer: ([embedding]) => ({ embedding }) },
  '/rest': { inputs: 'texts', answer: (vectors) => ({ vectors }) },
};
const provider = createServer((request, response) => {
  let body = '';
  request.on('data', (piece) => {
    body += piece;
  });
  request.on('end', () => {
    const path = request.url!;
    const protocol = PROTOCOLS[path];
    const received = JSON.parse(body) as Record<string, unknown>;
    const inputs = protocol === undefined ? undefined : received[protocol.inputs];
    if (protocol === undefined || inputs === undefined) return void response.writeHead(404).end();
    const texts = [inputs].flat() as string[];
    const { model, dimensions } = received;
    asked.push({ path, key: request.headers.authorization, model, dimensions, texts });
    response.end(JSON.stringify(protocol.answer(texts.map(vectorOf))));
  });
});

const folder = newDatabaseFolder();
let server: TestServer;
let url: string;
beforeAll(async () => {
  await new Promise<void>((ready) => provider.listen(0, '127.0.0.1', ready));
  url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  server = await startTestServer(folder, ['--experimental-allowed-ip-networks', '127.0.0.0/8']);
  await server.call('PATCH', '/experimental-features', { compositeEmbedders: true });
});
beforeEach(() => {
  asked.length = 0;
});
afterAll(async () => {
  await server?.stop();
  provider.closeAllConnections();
  provider.close();
  removeFolder(folder);
});

const documentTemplate = '{{ doc.title }}';
const textsAsked = (): string[] => asked.flatMap(({ texts }) => texts);

async function done(uid: string, method: string, path: string, body: unknown): Promise<void> {
  const { body: summary } = await server.call<{ taskUid: number }>(method, `/indexes/${uid}${path}`, body);
  const task = (await server.allTasksDone()).find((each) => each.uid === summary.taskUid);
  expect(task?.status, `${JSON.stringify(summary)} ${task?.error?.message}`).toBe('succeeded');
}

/** Documents in, again, changed; then a search for the text of one of them. `isAsked` false: the provider is in the process. */
async function walk(uid: string, embedder: object, isAsked = true): Promise<void> {
  await done(uid, 'PATCH', '/settings', { embedders: { e: embedder }, searchCutoffMs: 300_000 });
  asked.length = 0;
  await done(uid, 'POST', '/documents', DOCUMENTS);
  if (isAsked) expect(textsAsked().sort()).toEqual(DOCUMENTS.map(({ title }) => title).sort());
  asked.length = 0;
  const changed = DOCUMENTS.map((document) => ({ ...document, year: 2000 }));
  await done(uid, 'POST', '/documents', DOCUMENTS);
  await done(uid, 'PUT', '/documents', changed);
  expect(textsAsked()).toEqual([]);
  const title = 'Two cooks fight for a restaurant in Lyon';
  await done(uid, 'PUT', '/documents', [{ id: 2, title }]);
  if (isAsked) expect(textsAsked()).toEqual([title]);
  asked.length = 0;
  const { body } = await server.call<{ hits: { id: number }[]; semanticHitCount: number }>(
    'POST',
    `/indexes/${uid}/search`,
    { q: title, hybrid: { embedder: 'e', semanticRatio: 1 } },
  );
  expect(body).toMatchObject({ hits: [{ id: 2 }, {}, {}], semanticHitCount: 3 });
  if (isAsked) expect(textsAsked()).toEqual([title]);
}

describe('vectors made by', () => {
  test('openAi, regardless of who speaks its protocol', async () => {
    const model = 'text-embedding-3-small';
    const config = { source: 'openAi', url: `${url}/v1/embeddings`, apiKey: 'k', model, dimensions: 4 };
    await walk('openai', { ...config, documentTemplate });
    expect(asked).toMatchObject([{ path: '/v1/embeddings', key: 'Bearer k', model, dimensions: 4 }]);
  });

  test.each(['/api/embed', '/api/embeddings'])('ollama at %s', async (path) => {
    await walk(`ollama${path.length}`, { source: 'ollama', url: `${url}${path}`, model: 'own', documentTemplate });
    expect(asked).toMatchObject([{ path, model: 'own' }]);
  });

  test('rest', async () => {
    await walk('rest', rest());
  });

  test('composite: documents by one side, queries by the other', async () => {
    await walk('composite', {
      source: 'composite',
      indexingEmbedder: { source: 'ollama', url: `${url}/api/embed`, model: 'own', documentTemplate },
      searchEmbedder: { ...rest(), documentTemplate: undefined },
    });
    expect(asked).toMatchObject([{ path: '/rest' }]);
  });

  const isRunnable = MODEL !== undefined && existsSync(join(MODEL, 'config.json'));
  if (!isRunnable) console.warn('huggingFace is not tested: FOSSICK_TEST_MODEL names no folder with a model');
  test.skipIf(!isRunnable)(
    'huggingFace, a model in the process',
    async () => {
      await walk('local', { source: 'huggingFace', model: MODEL, documentTemplate }, false);
      const { body } = await server.call<{ hits: { id: number }[] }>('POST', '/indexes/local/search', {
        q: 'a machine learns to feel',
        hybrid: { embedder: 'e', semanticRatio: 1 },
        limit: 1,
      });
      expect(body.hits).toMatchObject([{ id: 1 }]);
    },
    300_000,
  );
});

function rest(): Record<string, unknown> {
  return {
    source: 'rest',
    url: `${url}/rest`,
    request: { texts: ['{{text}}', '{{..}}'] },
    response: { vectors: ['{{embedding}}', '{{..}}'] },
    documentTemplate,
  };
}
