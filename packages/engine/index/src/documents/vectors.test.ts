import { toJsonText } from '@fossick/documents';
import {
  checkVectors,
  givenVectors,
  keepVectors,
  mergeVectors,
  shownVectors,
  type VectorsCheck,
  vectorRulesOf,
} from '@fossick/vectors';
import { describe, expect, it } from 'vitest';
import { EmbeddingCounter } from '../transaction/document-counter.js';

const manual = { source: 'userProvided', dimensions: 2 };
const settings = { embedders: { manual } };
const rules = vectorRulesOf(settings);
const NEW: VectorsCheck = { mayLack: false, isNew: () => true };
const check = (vectors: unknown, how = NEW) => checkVectors({ id: 1, _vectors: vectors }, rules, '1', how);

describe('vectors of documents', () => {
  it.each([
    [null, [], false],
    [[1, 2], [[1, 2]], false],
    [
      [
        [1, 2],
        [3, 4],
      ],
      [
        [1, 2],
        [3, 4],
      ],
      false,
    ],
    [{ regenerate: true, embeddings: [1, 2] }, [[1, 2]], true],
    [{ regenerate: false }, [], false],
    [{ regenerate: false, embeddings: null }, [], false],
  ])('takes %j', (given, embeddings, regenerate) => {
    expect(check({ manual: given })).toEqual({ id: 1, _vectors: { manual: { embeddings, regenerate } } });
  });

  it.each([
    ['invalid_vectors_type', 'text'],
    ['invalid_vectors_type', { manual: 'text' }],
    ['invalid_vectors_type', { manual: {} }],
    ['invalid_vectors_type', { manual: { embeddings: [1, 2] } }],
    ['invalid_vectors_type', { manual: { regenerate: 'yes' } }],
    ['invalid_vectors_type', { manual: { regenerate: true, other: 1 } }],
    ['invalid_vectors_type', { manual: [1, true] }],
    ['invalid_vectors_type', { manual: [[1, 2], 3] }],
    ['invalid_vectors_type', { manual: [1, [2, 3]] }],
    ['invalid_vector_dimensions', { manual: [1] }],
    ['invalid_vector_dimensions', { manual: [[1, 2], [1]] }],
    ['too_many_vectors', { manual: Array.from({ length: 257 }, () => [1, 2]) }],
    ['vector_embedding_error', { other: [1] }],
    ['vector_embedding_error', null],
  ])('refuses with %s: %j', (code, vectors) => {
    expect(() => check(vectors)).toThrow(expect.objectContaining({ code }));
  });

  it('lets a stored document go on without, and leaves names without an embedder alone', () => {
    expect(check({ other: 'text' }, { ...NEW, mayLack: true })).toEqual({ id: 1, _vectors: { other: 'text' } });
    expect(checkVectors({ id: 1, _vectors: 5 }, new Map(), '1', NEW)).toEqual({ id: 1, _vectors: 5 });
  });

  it('checks the size of new vectors only', () => {
    const stored = { manual: [1, 2, 3] };
    expect(check(stored, { ...NEW, isNew: () => false })).toMatchObject({
      _vectors: { manual: { embeddings: [[1, 2, 3]] } },
    });
    expect(() => check(stored)).toThrow(expect.objectContaining({ code: 'invalid_vector_dimensions' }));
  });

  it.each([
    [[1e39, 0]],
    [[0, -1e39]],
    [
      [
        [1, 2],
        [3.5e38, 0],
      ],
    ],
    [{ regenerate: false, embeddings: [0, 1e308] }],
    [{ regenerate: true, embeddings: [[-Number.MAX_VALUE, 0]] }],
    [[2 ** 128, 0]],
    [[Number.MAX_VALUE, 1]],
    [[Number.POSITIVE_INFINITY, 0]],
    [[Number.NEGATIVE_INFINITY, 0]],
    [[0, Number.NaN]],
  ])('refuses numbers beyond single precision that a write brings, as one of a dump: %j', (manual) => {
    const refusal = expect.objectContaining({ code: 'invalid_vectors_type' });
    expect(() => check({ manual })).toThrow(refusal);
    expect(() => check({ manual }, { mayLack: true, isNew: () => false, isGiven: () => true })).toThrow(refusal);
  });

  it('keeps those that an earlier release stored, shows them and does not search them', () => {
    const stored = { manual: { embeddings: [[1e39, 0]], regenerate: false } };
    const document = check(stored, { mayLack: true, isNew: () => false });
    expect(document).toEqual({ id: 1, _vectors: stored });
    expect(toJsonText(shownVectors(document, settings))).toBe(
      '{"manual":{"embeddings":[[1e+39,0.0]],"regenerate":false}}',
    );
    expect([...givenVectors(stored)]).toEqual([]);
  });

  it('keeps stored vectors of a replaced document that does not mention them', () => {
    const before = { id: 1, _vectors: { manual: { embeddings: [[1, 2]], regenerate: false }, gone: [5] } };
    const keep = (document: Record<string, unknown>) => keepVectors(document, rules, () => before);
    for (const vectors of [undefined, null, {}])
      expect(keep({ id: 1, ...(vectors === undefined ? {} : { _vectors: vectors }) })).toEqual({
        id: 1,
        _vectors: { manual: before._vectors.manual },
      });
    const given = { id: 1, _vectors: { manual: null } };
    expect(keepVectors(given, rules, () => expect.fail('the stored document is not needed'))).toBe(given);
  });

  it('merges embedder by embedder', () => {
    expect(mergeVectors({ a: [1], b: [2] }, { b: null })).toEqual({ a: [1], b: null });
    expect(mergeVectors({ a: [1] }, undefined)).toEqual({ a: [1] });
  });

  it('shows single precision, or bits when quantised', () => {
    const document = { _vectors: { manual: [0.1, 1 / 3], free: { kept: [0.1] } } };
    expect(shownVectors(document, settings)).toEqual({
      manual: { embeddings: [[Math.fround(0.1), Math.fround(1 / 3)]], regenerate: false },
      free: { kept: [0.1] },
    });
    const quantised = { embedders: { manual: { ...manual, binaryQuantized: true } } };
    expect(toJsonText(shownVectors({ _vectors: { manual: [-0.1, 7] } }, quantised))).toBe(
      '{"manual":{"embeddings":[[0.0,1.0]],"regenerate":false}}',
    );
  });

  it('shows whole and tiny numbers as floats', () => {
    const shown = shownVectors(
      {
        _vectors: {
          manual: [
            [3, 0.5],
            [-2, 2 ** -20],
          ],
        },
      },
      settings,
    );
    expect(toJsonText(shown)).toBe(
      '{"manual":{"embeddings":[[3.0,0.5],[-2.0,9.5367431640625e-7]],"regenerate":false}}',
    );
    expect(JSON.parse(JSON.stringify(shown))).toEqual({
      manual: {
        embeddings: [
          [3, 0.5],
          [-2, 2 ** -20],
        ],
        regenerate: false,
      },
    });
  });

  it('are counted by embedding and by document', () => {
    const counter = new EmbeddingCounter(settings, 0, 0);
    const document = {
      id: 1,
      _vectors: {
        manual: [
          [1, 2],
          [3, 4],
        ],
      },
    };
    counter.count(document, 1);
    counter.count({ id: 2 }, 1);
    expect([counter.embeddingCount, counter.documentCount]).toEqual([2, 1]);
    counter.count(document, -1);
    expect([counter.embeddingCount, counter.documentCount]).toEqual([0, 0]);
    expect(counter.follow(settings)).toBe(false);
    expect(counter.follow({ embedders: {} })).toBe(false);
  });
});
