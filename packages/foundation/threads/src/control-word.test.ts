import { expect, it } from 'vitest';
import { ControlWord } from './control-word.js';
import { WatchedThread } from './watched-thread.js';

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

it('a canceled work is canceled in each thread that shares the word, and no other work is', () => {
  const word = new ControlWord();
  const other = new ControlWord(word.buffer);
  expect([other.isCanceled(1), other.isStopping]).toEqual([false, false]);
  word.cancel(1);
  expect([other.isCanceled(1), other.isCanceled(2), other.isStopping]).toEqual([true, false, false]);
  word.cancel(2);
  expect([other.isCanceled(1), other.isCanceled(2)]).toEqual([false, true]);
});

it('a watch is called when another thread cancels', async () => {
  const word = new ControlWord();
  const script = `
    import { workerData } from 'node:worker_threads';
    const word = new Int32Array(workerData);
    setTimeout(() => {
      Atomics.store(word, 0, 4);
      Atomics.notify(word, 0);
    }, 20);`;
  const called = new Promise<void>((resolve) => word.watch(4, resolve));
  const other = new WatchedThread<never>({
    script: new URL(`data:text/javascript,${encodeURIComponent(script)}`),
    start: word.buffer,
  });
  await called;
  expect(word.isCanceled(4)).toBe(true);
  await other.ended;
});

it('a stop stays, whatever is canceled after it', () => {
  const word = new ControlWord();
  word.stop();
  word.cancel(3);
  expect([word.isStopping, word.isCanceled(3)]).toEqual([true, false]);
});

it('a watch calls its listener once, for its work or a stop, and not after its end', async () => {
  const word = new ControlWord();
  const called: string[] = [];
  const watched = (name: string, work: number): (() => void) => word.watch(work, () => called.push(name));
  watched('one', 1);
  watched('two', 2);
  const end = watched('ended', 2);
  word.cancel(1);
  await turn();
  expect(called).toEqual(['one']);
  end();
  word.stop();
  await turn();
  expect(called).toEqual(['one', 'two']);
  watched('late', 9);
  expect(called).toEqual(['one', 'two', 'late']);
});
