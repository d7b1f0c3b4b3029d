import { describe, expect, it } from 'vitest';
import { readRestTemplates } from './rest-templates.js';

describe('the templates of a rest embedder', () => {
  const refused = (request: unknown, response: unknown, text: string, hasFragments = false): void =>
    expect(() => readRestTemplates(request, response, hasFragments)).toThrow(
      expect.objectContaining({ kind: 'configuration', message: expect.stringContaining(text) }),
    );

  it('hold the input once and the embedding once', () => {
    expect(readRestTemplates({ a: ['{{text}}'] }, { b: [{ c: '{{embedding}}' }] }, false)).toEqual({
      inputPath: ['a', 0],
      embeddingPath: ['b', 0, 'c'],
      repeated: null,
    });
    refused({ a: 'text' }, '{{embedding}}', '`request` does not hold `"{{text}}"`');
    refused('{{text}}', { a: 1 }, '`response` does not hold `"{{embedding}}"`');
    refused(['{{text}}', { a: '{{text}}' }], '{{embedding}}', 'once');
    refused('{{text}}', ['{{embedding}}', '{{embedding}}'], 'once');
    refused('{{fragment}}', '{{embedding}}', 'without fragments');
    refused('{{text}}', '{{embedding}}', 'with fragments', true);
    expect(readRestTemplates('{{fragment}}', '{{embedding}}', true).inputPath).toEqual([]);
  });

  it('repeat on both sides or on none, as the second of two', () => {
    const response = { data: [{ vector: '{{embedding}}' }, '{{..}}'] };
    expect(readRestTemplates({ input: ['{{text}}', '{{..}}'] }, response, false).repeated).toEqual({
      requestPath: ['input'],
      responsePath: ['data'],
    });
    refused({ input: ['{{text}}', '{{..}}'] }, '{{embedding}}', '`response` does not');
    refused({ input: '{{text}}' }, response, '`request` does not');
    refused({ input: ['{{..}}', '{{text}}'] }, response, 'second of two');
    refused({ input: ['{{text}}', 'x', '{{..}}'] }, response, 'second of two');
    refused({ input: ['x', '{{..}}'], other: '{{text}}' }, response, 'second of two');
    refused({ input: ['{{text}}', '{{..}}'], a: ['x', '{{..}}'] }, response, 'more than once');
  });
});
