import { expect, it } from 'vitest';
import { pictureOf as pictureInDashboard } from '../../apps/dashboard/src/parts/hit-shape.js';
// @ts-expect-error: the example is plain JavaScript
import { pictureOf, shortAddress } from '../../examples/playground/pictures.js';

const PAGE = 'https://example.org/films/jurassic-park';

it.each([
  {},
  { url: PAGE },
  { url: PAGE, poster: 'https://example.org/p/1' },
  { cover_page: PAGE, file: '//cdn.example.org/a.WEBP?w=80' },
  { photos: ['http://example.org/1.jpg', 'http://example.org/2.jpg'] },
  { poster: 'poster.jpg', image: 'javascript:alert(1)', photo: 7, avatar: [], logo: null },
  { url: PAGE, picture: 'data:image/svg+xml,<svg/>' },
  { Titelbild: 'https://example.org/b/7', url: PAGE },
])('the playground takes the picture that the dashboard takes, of %j', (document) => {
  expect(pictureOf(document)?.address).toBe(pictureInDashboard(document));
});

it('a link says the host of an address and its end', () => {
  expect(shortAddress('https://example.org/a.jpg')).toBe('example.org/a.jpg');
  expect(shortAddress('//example.org')).toBe('example.org');
  const long = `https://example.org/${'a/'.repeat(40)}320px-The_Curtain_Pole.jpg`;
  expect(shortAddress(long)).toBe('example.org/…a/a/a/a/a/a/a/320px-The_Curtain_Pole.jpg');
});
