import { describe, expect, it } from 'vitest';
import { markedParts } from '../views/search/highlight.js';
import { MARK_END, MARK_START } from '../views/search/search-request.js';
import { pictureOf, shapeOf } from './hit-shape.js';

describe('a hit', () => {
  it('is shown by what its attributes are called and hold', () => {
    const film = {
      ...{ id: 7, overview: 'long '.repeat(30), title: 'Emma', year: 1996, genres: ['Drama', 'Comedy'] },
      ...{ poster: 'https://example.org/a.jpg', meta: { deep: true }, _vectors: {}, empty: '' },
    };
    expect(shapeOf(film, 'id')).toEqual({ title: 'title', body: 'overview', tags: ['genres'], facts: ['year'] });
  });

  it('has a title where nothing is called so, and none where no text is short', () => {
    expect(shapeOf({ sku: 'a1', brand: 'Acme', price: 3 }, 'sku').title).toBe('brand');
    expect(shapeOf({ id: 1, text: 'long '.repeat(30) }, 'id')).toEqual({
      title: undefined,
      body: 'text',
      tags: [],
      facts: [],
    });
    expect(shapeOf({ id: 'x', productName: 'Lamp', note: 'new' }, 'id').title).toBe('productName');
  });
});

describe('a marked text', () => {
  const mark = (text: string) => `${MARK_START}${text}${MARK_END}`;
  it('is cut into what matched and the rest, HTML or not', () => {
    expect(markedParts(`<b>${mark('Star')} Wars & ${mark('<i>')}`)).toEqual([
      { text: '<b>', isMarked: false },
      { text: 'Star', isMarked: true },
      { text: ' Wars & ', isMarked: false },
      { text: '<i>', isMarked: true },
    ]);
    expect(markedParts('')).toEqual([]);
  });
  it('loses no text where a mark has no end, or none has a beginning', () => {
    const join = (text: string) =>
      markedParts(text)
        .map((part) => part.text)
        .join('');
    expect(join(`a ${MARK_START}b`)).toBe('a b');
    expect(join(`a ${MARK_END}b`)).toBe('a b');
    expect(join(`${MARK_START}${MARK_END}c`)).toBe('c');
  });
});

it('the picture of a document is at an address that looks like one, or that is named so', () => {
  const page = 'https://example.org/films/1';
  expect(pictureOf({ url: page, poster: 'https://example.org/p/1' })).toBe('https://example.org/p/1');
  expect(pictureOf({ cover_page: page, file: '//cdn.example.org/a.WEBP?w=80' })).toBe('//cdn.example.org/a.WEBP?w=80');
  expect(pictureOf({ photos: ['http://example.org/1.jpg', 'http://example.org/2.jpg'] })).toBe(
    'http://example.org/1.jpg',
  );
  expect(
    pictureOf({ poster: 'poster.jpg', image: 'javascript:alert(1)', photo: 7, avatar: [], logo: null }),
  ).toBeUndefined();
  expect(pictureOf({ url: page, picture: 'data:image/svg+xml,<svg/>' })).toBeUndefined();
});
