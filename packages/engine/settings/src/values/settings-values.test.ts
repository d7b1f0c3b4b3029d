import type { ErrorCode } from '@fossick/base';
import { describe, expect, it } from 'vitest';
import { chat } from './chat-values.js';
import { checkSentEmbedders, embedderFeatures, embedders } from './embedder-values.js';

const CHAT: ErrorCode = 'invalid_settings_index_chat';
const EMBEDDERS: ErrorCode = 'invalid_settings_embedders';
const withCode = (code: ErrorCode, text = ''): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(text) });

describe('the chat setting', () => {
  const read = (value: unknown): object => chat.parse(value, { code: CHAT, path: '' });

  it('takes its members, each also null', () => {
    const searchParameters = {
      hybrid: { embedder: 'e', semanticRatio: 0.2 },
      limit: 0,
      sort: ['year:asc'],
      distinct: 'author',
      matchingStrategy: 'frequency',
      attributesToSearchOn: ['title'],
      rankingScoreThreshold: 0.5,
    };
    const all = { description: 'd', documentTemplate: '{{doc.a}}', documentTemplateMaxBytes: 1, searchParameters };
    expect(read(all)).toEqual(all);
    for (const name of Object.keys(all)) expect(read({ [name]: null })).toEqual({ [name]: null });
    for (const name of Object.keys(searchParameters))
      expect(read({ searchParameters: { [name]: null } })).toEqual({ searchParameters: { [name]: null } });
    expect(read({ searchParameters: { hybrid: { embedder: 'e' } } })).toEqual({
      searchParameters: { hybrid: { embedder: 'e', semanticRatio: 0.5 } },
    });
  });

  it.each<[object, ErrorCode]>([
    [{ other: 1 }, CHAT],
    [{ description: 1 }, CHAT],
    [{ documentTemplate: 1 }, CHAT],
    [{ documentTemplate: '{{ doc.a' }, 'invalid_chat_setting_document_template'],
    [{ documentTemplateMaxBytes: -1 }, CHAT],
    [{ documentTemplateMaxBytes: 0 }, EMBEDDERS],
    [{ searchParameters: [] }, CHAT],
    [{ searchParameters: { q: 'x' } }, CHAT],
    [{ searchParameters: { hybrid: {} } }, CHAT],
    [{ searchParameters: { hybrid: { embedder: 'e', semanticRatio: 1.1 } } }, CHAT],
    [{ searchParameters: { hybrid: { embedder: 'e', other: 1 } } }, CHAT],
    [{ searchParameters: { limit: -1 } }, CHAT],
    [{ searchParameters: { sort: 'year:asc' } }, CHAT],
    [{ searchParameters: { distinct: ['a'] } }, CHAT],
    [{ searchParameters: { matchingStrategy: 'first' } }, CHAT],
    [{ searchParameters: { attributesToSearchOn: [1] } }, CHAT],
    [{ searchParameters: { rankingScoreThreshold: 2 } }, CHAT],
  ])('refuses %j with %s', (value, code) => {
    expect(() => read(value)).toThrow(withCode(code));
  });
});

describe('the embedders setting', () => {
  const read = (config: unknown): unknown => embedders.parse({ e: config }, { code: EMBEDDERS, path: '.embedders' });
  const REST = { source: 'rest', url: 'http://192.0.2.1/', request: '{{text}}', response: '{{embedding}}' };

  it.each([
    [1, '.embedders.e'],
    [{ source: 'other' }, '.embedders.e.source'],
    [{ model: 1 }, '.embedders.e.model'],
    [{ pooling: 'max' }, '.embedders.e.pooling'],
    [{ dimensions: 0 }, '.embedders.e.dimensions'],
    [{ dimensions: 1.5 }, '.embedders.e.dimensions'],
    [{ binaryQuantized: 'yes' }, '.embedders.e.binaryQuantized'],
    [{ documentTemplateMaxBytes: 0 }, '.embedders.e.documentTemplateMaxBytes'],
    [{ documentTemplate: '{% if' }, '.embedders.e.documentTemplate'],
    [{ url: '/relative' }, '.embedders.e.url'],
    [{ headers: { a: 1 } }, '.embedders.e.headers.a'],
    [{ indexingFragments: { a: 'x' } }, '.embedders.e.indexingFragments.a'],
    [{ searchFragments: { a: {} } }, '.embedders.e.searchFragments.a'],
    [{ distribution: { mean: 0.5 } }, '.embedders.e.distribution'],
    [{ distribution: { mean: 0.5, sigma: 0 } }, '.embedders.e.distribution.sigma'],
    [{ distribution: { mean: 2, sigma: 0.5 } }, '.embedders.e.distribution.mean'],
    [{ searchEmbedder: { model: 1 } }, '.embedders.e.searchEmbedder.model'],
    [{ dimension: 3 }, 'Did you mean `dimensions`?'],
    [{ source: 'userProvided', dimensions: 3, apiKey: null }, 'does not take `apiKey`'],
    [{ source: 'ollama' }, 'needs `model`'],
    [{ source: 'rest', url: 'http://192.0.2.1/' }, 'needs `request`'],
    [{ source: 'userProvided' }, 'needs `dimensions`'],
  ])('refuses %j, naming the place', (config, text) => {
    expect(() => read(config)).toThrow(withCode(EMBEDDERS, text));
  });

  it('is checked together with stored values when the source is given', () => {
    const stored = { e: { ...REST, indexingFragments: { a: { value: 'x' } }, searchFragments: { q: { value: 'y' } } } };
    const change = { ...REST, request: '{{fragment}}' };
    expect(() => checkSentEmbedders({ e: change }, stored)).not.toThrow();
    expect(() => checkSentEmbedders({ e: change }, {})).toThrow(withCode('vector_embedding_error'));
    expect(() => checkSentEmbedders({ e: REST }, stored)).toThrow(withCode('vector_embedding_error'));
    expect(() => checkSentEmbedders({ e: { model: 'anything' }, f: null }, stored)).not.toThrow();
  });

  it('leans on experimental features, inside of others too', () => {
    const fragments = { indexingFragments: { a: { value: 'x' } } };
    expect(embedderFeatures({ e: fragments })).toEqual(['multimodal']);
    expect(embedderFeatures({ e: { source: 'composite', indexingEmbedder: fragments } })).toEqual([
      'compositeEmbedders',
      'multimodal',
    ]);
    expect(embedderFeatures({ e: null, f: { source: 'openAi' } })).toEqual([]);
  });
});
