import { DEFAULT_DOCUMENT_TEMPLATE } from '@fossick/documents/templates';
import { describe, expect, it } from 'vitest';

import { checkEmbedder } from './check-embedder.js';
import { cleanEmbedder, mergeEmbedder, mergeEmbedders } from './merge-embedders.js';
import { resolvedEmbedder } from './resolved-embedder.js';
import type { EmbedderConfig } from './sources.js';

const withCode = (code: string, text = ''): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(text) });
const REFUSED = 'invalid_settings_embedders';
const REST = {
  source: 'rest',
  url: 'http://192.0.2.1/embed',
  request: { input: '{{text}}' },
  response: { data: '{{embedding}}' },
} as const;
const FRAGMENTS = { indexingFragments: { a: { value: '{{doc.a}}' } }, searchFragments: { q: { value: '{{q}}' } } };
const check = (config: object): void => checkEmbedder(config as EmbedderConfig, '.embedders.e');

describe('a change of embedders', () => {
  it('of the source drops fields that the new one does not have, and those of the provider', () => {
    const openAi = {
      source: 'openAi',
      model: 'text-embedding-3-large',
      apiKey: 'k',
      dimensions: 512,
      url: 'http://192.0.2.1/v1',
      documentTemplate: '{{doc.a}}',
      distribution: { mean: 0.5, sigma: 0.1 },
    } as const;
    expect(mergeEmbedder(openAi, { source: 'userProvided', dimensions: 3 })).toEqual({
      source: 'userProvided',
      dimensions: 3,
      distribution: { mean: 0.5, sigma: 0.1 },
    });
    expect(mergeEmbedder(openAi, { source: 'ollama', model: 'm' })).toEqual({
      source: 'ollama',
      model: 'm',
      apiKey: 'k',
      documentTemplate: '{{doc.a}}',
      distribution: { mean: 0.5, sigma: 0.1 },
    });
  });

  it('of single fields keeps the others; maps of fragments merge, templates and headers are replaced', () => {
    const before = { ...REST, ...FRAGMENTS, headers: { a: '1' } };
    const after = mergeEmbedder(before, {
      headers: { b: '2' },
      request: { other: '{{fragment}}' },
      searchFragments: { q: null, r: { value: '{{q}}' } },
    });
    expect(after).toEqual({
      ...before,
      headers: { b: '2' },
      request: { other: '{{fragment}}' },
      searchFragments: { r: { value: '{{q}}' } },
    });
    expect(mergeEmbedder(before, { headers: null })).not.toHaveProperty('headers');
  });

  it('is checked by its result', () => {
    const stored = { e: { source: 'userProvided', dimensions: 3 } };
    expect(() => mergeEmbedders(stored, { e: { apiKey: 'k' } })).toThrow(withCode(REFUSED, 'does not take `apiKey`'));
    expect(() => mergeEmbedders(stored, { e: { dimensions: null } })).toThrow(withCode(REFUSED, 'needs `dimensions`'));
    expect(mergeEmbedders(stored, { e: null, none: null })).toEqual({});
    const bits = { e: { source: 'userProvided', dimensions: 3, binaryQuantized: true } };
    for (const value of [false, null])
      expect(() => mergeEmbedders(bits, { e: { binaryQuantized: value } })).toThrow(withCode(REFUSED, 'bits'));
    expect(mergeEmbedders(bits, { e: null })).toEqual({});
    const ollama = { source: 'ollama', model: 'm', url: 'http://192.0.2.1/wrong' };
    expect(() => mergeEmbedders({}, { e: ollama })).toThrow(withCode('vector_embedding_error', '/api/embed'));
    const many = Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`e${i}`, stored.e]));
    expect(() => mergeEmbedders({}, many)).toThrow(withCode(REFUSED, '256'));
  });

  it('cleans what older releases stored', () => {
    expect(cleanEmbedder({ source: 'userProvided', dimensions: 3, apiKey: 'k', model: 'm' })).toEqual({
      source: 'userProvided',
      dimensions: 3,
    });
    expect(cleanEmbedder({ model: 'text-embedding-3-small', revision: 'r' })).toEqual({
      source: 'openAi',
      model: 'text-embedding-3-small',
    });
  });
});

describe('a configuration is refused', () => {
  it('for models and dimensions that the source cannot have', () => {
    expect(() => check({ source: 'openAi', model: 'gpt' })).toThrow(withCode(REFUSED, 'text-embedding-3-large'));
    expect(() => check({ source: 'openAi', dimensions: 1537 })).toThrow(withCode(REFUSED, 'at most 1536'));
    expect(() => check({ source: 'openAi', model: 'text-embedding-ada-002', dimensions: 512 })).toThrow(
      withCode(REFUSED, 'cannot be asked'),
    );
    check({ source: 'openAi', model: 'text-embedding-ada-002', dimensions: 1536 });
    check({ source: 'openAi', model: 'text-embedding-3-large', dimensions: 256 });
  });

  it('for broken Liquid, in a template and anywhere in a fragment', () => {
    expect(() => check({ source: 'openAi', documentTemplate: '{{ doc.a' })).toThrow(withCode(REFUSED, 'Liquid'));
    const fragments = { ...FRAGMENTS, indexingFragments: { a: { value: { parts: ['{% if %}'] } } } };
    expect(() => check({ ...REST, request: '{{fragment}}', ...fragments })).toThrow(
      withCode(REFUSED, '.embedders.e.indexingFragments.a.value.parts.0'),
    );
  });

  it('with fragments and a template, or with fragments of one kind only', () => {
    const whole = { ...REST, request: { input: '{{fragment}}' }, ...FRAGMENTS };
    check(whole);
    expect(() => check({ ...whole, documentTemplate: 'x' })).toThrow(withCode('vector_embedding_error', 'drop'));
    for (const side of ['indexingFragments', 'searchFragments'] as const)
      expect(() => check({ ...whole, [side]: {} })).toThrow(withCode('vector_embedding_error', `needs \`${side}\``));
  });

  it('inside another one: without a source, with the wrong one, with what its side does not take', () => {
    const nested = { source: 'openAi' };
    const composite = (search: object, indexing: object): object => ({
      source: 'composite',
      searchEmbedder: search,
      indexingEmbedder: indexing,
    });
    check(composite(nested, nested));
    expect(() => check(composite({}, nested))).toThrow(withCode(REFUSED, 'needs `source`'));
    for (const source of ['userProvided', 'composite'])
      expect(() => check(composite(nested, { source }))).toThrow(withCode(REFUSED, `cannot be \`${source}\``));
    for (const field of ['documentTemplate', 'documentTemplateMaxBytes', 'distribution', 'binaryQuantized'])
      expect(() => check(composite({ ...nested, [field]: 'x' }, nested))).toThrow(withCode(REFUSED, field));
    expect(() => check(composite(nested, { ...nested, binaryQuantized: true }))).toThrow(withCode(REFUSED));
    expect(() => check({ source: 'composite', searchEmbedder: nested })).toThrow(withCode(REFUSED, 'indexingEmbedder'));
  });
});

describe('an embedder as answers show it', () => {
  const TEMPLATE = { documentTemplate: DEFAULT_DOCUMENT_TEMPLATE, documentTemplateMaxBytes: 400 };
  it.each([
    [{ source: 'openAi' }, { source: 'openAi', model: 'text-embedding-3-small', ...TEMPLATE }],
    [
      { source: 'huggingFace' },
      { source: 'huggingFace', model: 'BAAI/bge-base-en-v1.5', pooling: 'useModel', ...TEMPLATE },
    ],
    [
      { source: 'ollama', model: 'm' },
      { source: 'ollama', model: 'm', ...TEMPLATE },
    ],
    [
      { dimensions: 3, source: 'userProvided' },
      { source: 'userProvided', dimensions: 3 },
    ],
    [REST, { source: 'rest', ...TEMPLATE, url: REST.url, request: REST.request, response: REST.response, headers: {} }],
    [
      { ...REST, ...FRAGMENTS },
      { source: 'rest', url: REST.url, ...FRAGMENTS, request: REST.request, response: REST.response, headers: {} },
    ],
    [
      { source: 'composite', searchEmbedder: { source: 'openAi' }, indexingEmbedder: { source: 'openAi' } },
      {
        source: 'composite',
        searchEmbedder: { source: 'openAi', model: 'text-embedding-3-small' },
        indexingEmbedder: { source: 'openAi', model: 'text-embedding-3-small', ...TEMPLATE },
      },
    ],
  ])('has its defaults, in order: %j', (stored, shown) => {
    expect(JSON.stringify(resolvedEmbedder(stored as EmbedderConfig))).toBe(JSON.stringify(shown));
  });
});
