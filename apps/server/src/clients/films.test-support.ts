import { expect } from 'vitest';
import type { ServerProcess } from '../e2e/server-process.test-support.js';

export const MASTER_KEY = 'a-master-key-of-more-than-16-bytes';
const headers = { authorization: `Bearer ${MASTER_KEY}` };

/** 60 films of four genres and three studios, one per kilometre east of the meridian at 50 degrees north. */
export const FILMS = Array.from({ length: 60 }, (_, id) => ({
  id,
  title: `${['Red', 'Blue', 'Green', 'Grey'][id % 4]} harbour ${id}`,
  genres: [['Drama', 'Comedy', 'Crime', 'Western'][id % 4]!, ...(id % 8 === 0 ? ['Family'] : [])],
  studio: ['North', 'South', 'East'][id % 3]!,
  year: 1950 + id,
  _geo: { lat: 50, lng: id * 0.014 },
}));

/** Fills the index `films` of a server that has the master key. */
export async function addFilms(server: ServerProcess): Promise<void> {
  await server.call(
    'PATCH',
    '/indexes/films/settings',
    {
      searchableAttributes: ['title'],
      filterableAttributes: ['genres', 'studio', 'year', '_geo'],
      sortableAttributes: ['year', '_geo'],
    },
    headers,
  );
  await server.call('POST', '/indexes/films/documents', FILMS, headers);
  for (;;) {
    const path = '/tasks?statuses=enqueued,processing';
    const { body } = await server.call<{ total: number }>('GET', path, undefined, headers);
    if (body.total === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { body } = await server.call('GET', '/tasks?statuses=failed', undefined, headers);
  expect(body).toMatchObject({ total: 0 });
}
