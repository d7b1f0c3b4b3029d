import { createTokenizer } from '@fossick/tokenizer';
import { describe, expect, it } from 'vitest';
import { parseQuery } from './query-terms.js';

const tokenizer = createTokenizer({ stopWords: ['the'] });
const parse = (text: string) => parseQuery(tokenizer.tokenize(text), true);
const words = (text: string) => parse(text).terms.map((term) => (term.isPrefix ? `${term.text}*` : term.text));

describe('parseQuery', () => {
  it('makes only the very last word a prefix', () => {
    expect(words('hello wor')).toEqual(['hello', 'wor*']);
    expect(words('hello ')).toEqual(['hello']);
    expect(words('hello!')).toEqual(['hello']);
  });
  it('moves positions past hard separators by eight in all', () => {
    expect(parse('Hello, world').terms.map((term) => term.startPosition)).toEqual([0, 8]);
  });
  it('drops stop words unless they come last', () => {
    expect(words('the cat')).toEqual(['cat*']);
    expect(words('the')).toEqual(['the*']);
    expect(words('the ')).toEqual([]);
  });
  it('reads phrases, with their stop words', () => {
    const [phrase] = parse('"man of the house" big').terms;
    expect(phrase).toMatchObject({
      kind: 'phrase',
      phrase: ['man', 'of', { stopWord: 'the' }, 'house'],
      startPosition: 0,
      endPosition: 3,
    });
    expect(parse('"open to the end').terms[0]!.phrase).toEqual(['open', 'to', { stopWord: 'the' }, 'end']);
  });
  it('knows negatives by the dash after a space', () => {
    expect(parse('foo -bar')).toMatchObject({ negativeWords: ['bar'] });
    expect(words('foo-bar')).toEqual(['foo', 'bar*']);
    expect(parse('-foo-bar')).toMatchObject({ negativeWords: ['foo'] });
    expect(words('- bar')).toEqual(['bar*']);
    expect(parse('-"new york"').negativePhrases).toEqual([['new', 'york']]);
  });
  it('stops after ten terms, and the tenth is no prefix when more follows', () => {
    expect(words('a b c d e f g h i j k')).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']);
  });
});
