import { AnswerAccount, SearchQueue } from '@fossick/search-service';
import { expect, it } from 'vitest';
import { pageBytes } from './tasks.js';

const page = { results: [3, 2, 1], total: 9, limit: 3, from: 3, next: 0 };
const answerAccount = new AnswerAccount(1e8);
const context = { searches: new SearchQueue({ slotCount: 4, capacity: 10, waitMaxMs: 60_000 }), answerAccount };

it('is the JSON of the page, without what is no longer there', async () => {
  const bytes = await pageBytes(context, page, (uid) => (uid === 2 ? undefined : { uid, text: 'é' }));
  expect(bytes.toString()).toBe(
    JSON.stringify({
      ...page,
      results: [
        { uid: 3, text: 'é' },
        { uid: 1, text: 'é' },
      ],
    }),
  );
  expect((await pageBytes(context, { ...page, results: [] }, () => ({}))).toString()).toBe(
    JSON.stringify({ ...page, results: [] }),
  );
});

it('gives others their turn between two large items, and ends where its bytes are too many', async () => {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  let reads = 0;
  const large = (): object => {
    reads += 1;
    return { words: Array.from({ length: 200_000 }, (_, at) => `word ${at}`) };
  };
  const results = Array.from({ length: 8 }, (_, at) => at);
  await pageBytes(context, { ...page, results }, large);
  expect(turns).toBeGreaterThanOrEqual(4);
  reads = 0;
  const refused = pageBytes(context, { ...page, results }, large, 8_000_000);
  await expect(refused).rejects.toMatchObject({ code: 'invalid_task_limit' });
  expect(reads).toBeLessThan(5);
  expect(answerAccount.heldBytes).toBe(0);
  clearImmediate(timer);
});

it('is refused where other answers take the memory, and holds nothing then', async () => {
  const full = new AnswerAccount(1_000_000);
  full.reserve().set(1_000_000);
  const results = Array.from({ length: 100 }, (_, at) => at);
  const refused = pageBytes({ ...context, answerAccount: full }, { ...page, results }, () => ({
    text: 'x'.repeat(10_000),
  }));
  await expect(refused).rejects.toMatchObject({ code: 'too_many_answers' });
  expect(full.heldBytes).toBe(1_000_000);
});
