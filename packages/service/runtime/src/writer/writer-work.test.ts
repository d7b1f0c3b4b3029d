import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { PendingMerges } from '@fossick/index';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FOLLOWING, WriterWork } from './writer-work.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A writer whose calls are noted; `pieces` is how many pieces each merge has left. */
class Scene {
  readonly calls: string[] = [];
  readonly merges = new PendingMerges();
  readonly pieces = new Map<string, number>();
  isMoreWaiting = false;
  /** Each piece waits for one of these, if there are any. */
  endPiece: (() => void)[] | undefined;
  fault: Error | undefined;
  readonly work: WriterWork;

  constructor() {
    this.work = new WriterWork({
      merges: this.merges,
      mergeOnce: (uid) => this.mergeOnce(uid),
      isMoreWaiting: () => this.isMoreWaiting,
      prepare: () => this.calls.push('prepare'),
      rest: () => this.calls.push('rest'),
      setMerging: (isMerging) => this.calls.push(isMerging ? 'merging' : 'merged'),
      onFault: (error) => this.calls.push(`fault ${(error as Error).message}`),
    });
  }

  private async mergeOnce(uid: string): Promise<boolean> {
    this.calls.push(`merge ${uid}`);
    if (this.endPiece !== undefined) await new Promise<void>((resolve) => this.endPiece!.push(resolve));
    if (this.fault !== undefined) throw this.fault;
    const left = this.pieces.get(uid) ?? 0;
    this.pieces.set(uid, left - 1);
    return left > 1;
  }
}

test('after a batch its index is merged piece by piece, then the writer rests and says that merges have ended', async () => {
  const scene = new Scene();
  scene.pieces.set('films', 3);
  expect(await scene.work.execute(['films'], async () => scene.work.state)).toBe('executing');
  expect(scene.work.state).toBe('looking');
  await vi.advanceTimersByTimeAsync(10);
  const piece = ['merging', 'merge films'];
  expect(scene.calls).toEqual([...piece, ...piece, ...piece, 'rest']);
  expect(scene.work.state).toBe('resting');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(scene.calls.at(-1)).toBe('merged');
});

test('a batch that fails is followed by merges as well', async () => {
  const scene = new Scene();
  await expect(scene.work.execute(['films'], () => Promise.reject(new Error('no space')))).rejects.toThrow('no space');
  await vi.advanceTimersByTimeAsync(10);
  expect(scene.calls).toEqual(['merging', 'merge films', 'rest']);
});

test('nothing is merged while tasks wait, nor during a batch', async () => {
  const scene = new Scene();
  scene.isMoreWaiting = true;
  await scene.work.execute(['films'], async () => undefined);
  await vi.advanceTimersByTimeAsync(10);
  expect([scene.calls, scene.work.state]).toEqual([[], 'looking']);
  scene.isMoreWaiting = false;
  await scene.work.execute([], async () => {
    scene.work.wake();
    await vi.advanceTimersByTimeAsync(10);
    expect(scene.calls).toEqual([]);
  });
  await vi.advanceTimersByTimeAsync(10);
  expect(scene.calls).toContain('merge films');
});

test('a batch may begin while a piece runs, and no second piece does', async () => {
  const scene = new Scene();
  scene.endPiece = [];
  scene.pieces.set('films', 2);
  scene.merges.add('films');
  scene.work.wake();
  await vi.advanceTimersByTimeAsync(10);
  expect([scene.work.state, scene.work.isBusy]).toEqual(['merging', true]);
  await scene.work.execute([], async () => {
    expect(scene.work.state).toBe('executing');
  });
  await vi.advanceTimersByTimeAsync(10);
  expect([scene.calls, scene.work.isBusy]).toEqual([['merging', 'merge films'], true]);
  scene.endPiece.shift()!();
  await vi.advanceTimersByTimeAsync(10);
  expect(scene.calls).toEqual(['merging', 'merge films', 'merging', 'merge films']);
});

test('a merge that fails is put off and reported, and others go on', async () => {
  const scene = new Scene();
  scene.fault = new Error('damaged');
  scene.merges.add('films');
  scene.work.wake();
  await vi.advanceTimersByTimeAsync(10);
  expect(scene.calls).toEqual(['merging', 'merge films', 'fault damaged', 'rest']);
  scene.fault = undefined;
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(scene.calls.filter((call) => call === 'merge films').length).toBeGreaterThan(1);
});

test('what is prepared for a payload is released when none comes, and not during a batch', async () => {
  const scene = new Scene();
  scene.work.expectLarge();
  expect([scene.calls, scene.work.state]).toEqual([['prepare'], 'expecting']);
  await vi.advanceTimersByTimeAsync(9_000);
  scene.work.expectLarge();
  await vi.advanceTimersByTimeAsync(9_000);
  expect(scene.calls).toEqual(['prepare', 'prepare']);
  await vi.advanceTimersByTimeAsync(2_000);
  expect([scene.calls.slice(0, 3), scene.work.state]).toEqual([['prepare', 'prepare', 'rest'], 'resting']);
  await scene.work.execute([], async () => scene.work.expectLarge());
  expect(scene.calls.filter((call) => call === 'prepare').length).toBe(2);
});

test('nothing begins after a stop, and a piece that runs ends by itself', async () => {
  const scene = new Scene();
  scene.endPiece = [];
  scene.merges.add('films');
  scene.work.wake();
  await vi.advanceTimersByTimeAsync(10);
  scene.work.stop();
  scene.endPiece.shift()!();
  scene.work.wake();
  scene.work.expectLarge();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([scene.calls, scene.work.state, vi.getTimerCount()]).toEqual([['merging', 'merge films'], 'stopped', 0]);
});

test('a fault between batches is reported, and the next batch is followed by merges', async () => {
  const scene = new Scene();
  const next = vi.spyOn(scene.merges, 'next').mockImplementationOnce(() => {
    throw new Error('too many open files');
  });
  await scene.work.execute(['films'], async () => undefined);
  await vi.runAllTimersAsync();
  expect(scene.calls).toEqual(['fault too many open files']);
  await scene.work.execute(['films'], async () => undefined);
  await vi.runAllTimersAsync();
  expect(next).toHaveBeenCalled();
  expect(scene.calls).toContain('merge films');
});

test('only what the table names may follow a state', () => {
  expect(FOLLOWING.stopped).toEqual([]);
  for (const [state, next] of Object.entries(FOLLOWING))
    if (state !== 'stopped') expect([state, next.includes('stopped')]).toEqual([state, true]);
  expect(FOLLOWING.executing).not.toContain('merging');
});

test(`whatever happens, one piece runs at a time, none begins in a batch, and in the end it rests (seed ${TEST_SEED})`, async () => {
  const event = fc.constantFrom('wake', 'expect', 'begin', 'end', 'piece', 'time', 'more', 'none');
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
      const scene = new Scene();
      const open: (() => void)[] = [];
      scene.endPiece = [];
      for (const name of [...events, 'none', 'end'] as const) {
        const mergeCount = scene.calls.filter((call) => call === 'merge films').length;
        if (name === 'wake') scene.work.wake();
        else if (name === 'expect') scene.work.expectLarge();
        else if (name === 'begin' && open.length === 0)
          void scene.work.execute(['films'], () => new Promise<void>((resolve) => open.push(resolve)));
        else if (name === 'end') open.shift()?.();
        else if (name === 'piece') scene.endPiece.shift()?.();
        else if (name === 'more' || name === 'none') scene.isMoreWaiting = name === 'more';
        const isInBatch = open.length > 0;
        await vi.advanceTimersByTimeAsync(name === 'time' ? 20_000 : 1);
        expect(scene.endPiece.length).toBeLessThanOrEqual(1);
        expect(scene.work.state === 'executing').toBe(isInBatch);
        if (isInBatch) expect(scene.calls.filter((call) => call === 'merge films').length).toBe(mergeCount);
      }
      // the end of a piece that ran, and a piece of what the last batch left
      for (let left = 0; left < 2; left++) {
        scene.work.wake();
        await vi.advanceTimersByTimeAsync(1);
        scene.endPiece.shift()?.();
        await vi.advanceTimersByTimeAsync(20_000);
      }
      expect(scene.work.state).toBe('resting');
      scene.work.stop();
      expect(vi.getTimerCount()).toBe(0);
    }),
    { seed: TEST_SEED, numRuns: 200 },
  );
});
