import { afterEach, describe, expect, it } from 'vitest';
import type { EmbedderConfiguration } from './configuration.js';
import { createEmbedder } from './kinds/create-embedder.js';
import { type Answer, startProvider, type TestProvider, texts, vectorOf } from './provider.test-support.js';

let provider: TestProvider | undefined;
afterEach(async () => {
  await provider?.close();
  provider = undefined;
});
async function providing(answer: Answer): Promise<TestProvider> {
  provider = await startProvider(answer);
  return provider;
}
const lists = (vectors: readonly Float32Array[]): number[][] => vectors.map((vector) => [...vector]);

describe('what providers are sent and how their answers are read', () => {
  it('openAi: batches in order, whatever the order of the answer', async () => {
    const { url, seen } = await providing(({ body }) => ({
      data: body.input.map((text: string, index: number) => ({ index, embedding: vectorOf(text) })).reverse(),
    }));
    const embedder = createEmbedder({ source: 'openAi', apiKey: 'sk-1', url: `${url}/v1/embeddings`, dimensions: 2 });
    expect(await embedder.dimensions()).toBe(2);
    expect(seen).toEqual([]);
    const inputs = Array.from({ length: 250 }, (_, at) => `${at}`.repeat((at % 7) + 1));
    expect(lists(await embedder.embed(texts(...inputs)))).toEqual(inputs.map(vectorOf));
    expect(seen.map(({ body }) => body.input.length).sort((a, b) => a - b)).toEqual([50, 100, 100]);
    expect(seen[0]).toMatchObject({
      path: '/v1/embeddings',
      headers: { authorization: 'Bearer sk-1', 'content-type': 'application/json' },
      body: { model: 'text-embedding-3-small', dimensions: 2 },
    });
  });

  it('openAi: dimensions are not requested from models that cannot be shortened; those of unknown models are determined', async () => {
    const { url, seen } = await providing(({ body }) => ({ data: body.input.map(() => ({ embedding: [1, 2, 3] })) }));
    const other = createEmbedder({ source: 'openAi', url, model: 'nomic-embed-text' });
    expect(await other.dimensions()).toBe(3);
    expect(await other.dimensions()).toBe(3);
    expect(seen.map(({ body }) => body)).toEqual([{ model: 'nomic-embed-text', input: ['test'] }]);
    expect(seen[0]!.headers.authorization).toBeUndefined();
    expect(await createEmbedder({ source: 'openAi', model: 'text-embedding-ada-002' }).dimensions()).toBe(1536);
    expect(await createEmbedder({ source: 'openAi', model: 'text-embedding-3-large' }).dimensions()).toBe(3072);
  });

  it('ollama: both routes', async () => {
    const { url, seen } = await providing(({ path, body }) =>
      path === '/api/embed' ? { embeddings: body.input.map(vectorOf) } : { embedding: vectorOf(body.prompt) },
    );
    const several = createEmbedder({ source: 'ollama', model: 'm', url: `${url}/api/embed`, apiKey: 'k' });
    expect(lists(await several.embed(texts('a', 'bc')))).toEqual([vectorOf('a'), vectorOf('bc')]);
    expect(seen[0]).toMatchObject({ headers: { authorization: 'Bearer k' }, body: { model: 'm', input: ['a', 'bc'] } });
    const single = createEmbedder({ source: 'ollama', model: 'm', url: `${url}/api/embeddings` });
    expect(lists(await single.embed(texts('a', 'bc')))).toEqual([vectorOf('a'), vectorOf('bc')]);
    expect(seen.slice(1).map(({ body }) => body)).toEqual(
      expect.arrayContaining([
        { model: 'm', prompt: 'a' },
        { model: 'm', prompt: 'bc' },
      ]),
    );
  });

  it('rest: templates of one input and of several, headers and key', async () => {
    const { url, seen } = await providing(({ body }) =>
      body.inputs === undefined
        ? { out: { v: vectorOf(body.text) } }
        : { data: [{ items: body.inputs.map((text: string) => ({ v: [vectorOf(text)] })) }] },
    );
    const single = createEmbedder({
      source: 'rest',
      url,
      apiKey: 'k',
      headers: { 'X-Team': 'search' },
      request: { model: 'x', text: '{{text}}' },
      response: { out: { v: '{{embedding}}' } },
    });
    expect(lists(await single.embed(texts('abc')))).toEqual([vectorOf('abc')]);
    expect(seen[0]).toMatchObject({
      headers: { authorization: 'Bearer k', 'x-team': 'search' },
      body: { model: 'x', text: 'abc' },
    });
    const several = createEmbedder({
      source: 'rest',
      url,
      request: { inputs: ['{{text}}', '{{..}}'], mode: { kind: 'x' } },
      response: { data: [{ items: [{ v: ['{{embedding}}'] }, '{{..}}'] }] },
    });
    expect(lists(await several.embed(texts('a', 'bc', 'd')))).toEqual([vectorOf('a'), vectorOf('bc'), vectorOf('d')]);
    expect(seen[1]!.body).toEqual({ inputs: ['a', 'bc', 'd'], mode: { kind: 'x' } });
  });

  it('rest: fragments go out as the JSON they are', async () => {
    const { url, seen } = await providing(() => ({ embedding: [1, 2] }));
    const embedder = createEmbedder({
      source: 'rest',
      url,
      hasFragments: true,
      request: { content: '{{fragment}}' },
      response: { embedding: '{{embedding}}' },
    });
    await embedder.embed([{ kind: 'fragment', value: { image: { url: 'https://a/b.png' } } }]);
    expect(seen[0]!.body).toEqual({ content: { image: { url: 'https://a/b.png' } } });
  });

  it('composite: documents by one side, queries by the other, only when both agree on dimensions', async () => {
    const { url, seen } = await providing(({ path, body }) => ({
      data: body.input.map((text: string) => ({
        embedding: path === '/other' ? [1, -text.length] : path === '/wide' ? [1, 2, 3] : vectorOf(text),
      })),
    }));
    const side = (path: string) => ({ source: 'openAi', model: 'm', url: `${url}${path}` }) as const;
    const embedder = createEmbedder({ source: 'composite', searchEmbedder: side('/s'), indexingEmbedder: side('/i') });
    expect(await embedder.dimensions()).toBe(2);
    seen.length = 0;
    await embedder.embed(texts('a'));
    expect(seen.map(({ path }) => path)).toEqual(['/i']);
    const unlike = createEmbedder({
      source: 'composite',
      searchEmbedder: side('/s'),
      indexingEmbedder: side('/other'),
    });
    await expect(unlike.dimensions()).rejects.toMatchObject({ kind: 'configuration' });
    const wide = createEmbedder({ source: 'composite', searchEmbedder: side('/s'), indexingEmbedder: side('/wide') });
    await expect(wide.dimensions()).rejects.toMatchObject({ kind: 'dimensions' });
  });

  const broken: readonly (readonly [string, EmbedderConfiguration])[] = [
    ['an ollama address of another route', { source: 'ollama', model: 'm', url: 'http://127.0.0.1:1/api/chat' }],
    ['an address of another protocol', { source: 'openAi', url: 'ftp://127.0.0.1/x' }],
    [
      'a request without its input',
      { source: 'rest', url: 'http://127.0.0.1:1', request: {}, response: '{{embedding}}' },
    ],
    [
      'only one side that repeats',
      { source: 'rest', url: 'http://127.0.0.1:1', request: ['{{text}}', '{{..}}'], response: '{{embedding}}' },
    ],
    ['a key that no header takes', { source: 'openAi', apiKey: 'a\nb' }],
    ['a model that is nowhere', { source: 'huggingFace', model: 'no/such-model' }],
  ];
  it.each(broken)('refuses %s at once', (_, configuration) => {
    expect(() => createEmbedder(configuration)).toThrow(expect.objectContaining({ kind: 'configuration' }));
  });
});
