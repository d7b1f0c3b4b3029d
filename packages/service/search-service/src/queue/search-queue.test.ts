import { describe, expect, it } from 'vitest';
import { SearchQueue } from './search-queue.js';

const first = (): number => 0;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the search queue', () => {
  it('runs the first search of a turn at once and the others one a turn', async () => {
    const queue = new SearchQueue({ slotCount: 8, capacity: 10, waitMaxMs: 60_000, pick: first });
    const ran: number[] = [];
    const answers = [1, 2, 3].map((n) => queue.run(() => ran.push(n)));
    expect(ran).toEqual([1]);
    expect(queue.waitingCount).toBe(2);
    let otherWork = 0;
    setImmediate(() => {
      otherWork = ran.length;
    });
    await Promise.all(answers);
    expect(otherWork).toBeLessThan(3);
    expect([...ran].sort()).toEqual([1, 2, 3]);
    await turn();
    expect(queue.run(() => 'at once')).toBe('at once');
  });

  it('rejects a waiting search when there are too many, and runs the others', async () => {
    const queue = new SearchQueue({ slotCount: 2, capacity: 1, waitMaxMs: 60_000, pick: first });
    const answers = [1, 2, 3, 4].map(async (n) => queue.run(() => n));
    const settled = await Promise.allSettled(answers);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(settled[1]).toMatchObject({ reason: { code: 'too_many_search_requests' } });
  });

  it('rejects at once when all slots are busy and no waiting is allowed', async () => {
    const queue = new SearchQueue({ slotCount: 1, capacity: 0, waitMaxMs: 60_000 });
    expect(queue.run(() => 1)).toBe(1);
    await expect(queue.run(() => 2)).rejects.toMatchObject({ code: 'too_many_search_requests' });
  });

  it('drops searches that waited too long, and passes on errors of a search', async () => {
    const queue = new SearchQueue({ slotCount: 8, capacity: 10, waitMaxMs: -1 });
    queue.run(() => 1);
    await expect(queue.run(() => 2)).rejects.toMatchObject({ code: 'too_many_search_requests' });
    const patient = new SearchQueue({ slotCount: 8, capacity: 10, waitMaxMs: 60_000 });
    expect(() =>
      patient.run(() => {
        throw new Error('at once');
      }),
    ).toThrow('at once');
    await expect(
      patient.run(() => {
        throw new Error('later');
      }),
    ).rejects.toThrow('later');
  });
});
