import { MissingStoreError } from '@fossick/objects';
import { type StoredEntry, TrimmedError } from '@fossick/replication';
import { beforeEach, expect, it } from 'vitest';
import { LogWatch } from './log-watch.js';

/** What the two stores answer: a function that throws is one that does not. */
let entry: () => Promise<readonly StoredEntry[]>;
let isOurs: () => Promise<boolean>;
let position: number;
let isLeading: boolean;
let asked: number[];
let changes: (string | null)[];
let watch: LogWatch;
const there = async (): Promise<readonly StoredEntry[]> => [{ position: 1, bytes: new Uint8Array(1) }];
const absent = async (): Promise<readonly StoredEntry[]> => [];
const fails = (error: Error) => async (): Promise<never> => {
  throw error;
};
beforeEach(() => {
  [entry, isOurs, position, isLeading, asked, changes] = [there, async () => true, 7, true, [], []];
  watch = new LogWatch({
    log: {
      read: (from) => {
        asked.push(from);
        return entry();
      },
    },
    position: () => position,
    isLeading: () => isLeading,
    isOurs: () => isOurs(),
    onChange: (reason) => changes.push(reason),
  });
});

const coded = (code: string): Error => Object.assign(new Error(code), { code });

it.each([
  ['a timeout', coded('ETIMEDOUT')],
  ['a refused connection', coded('ECONNREFUSED')],
  ['a broken connection', coded('ECONNRESET')],
  ['a name that is not found', coded('ENOTFOUND')],
  ['a stale handle of a network file system', coded('ESTALE')],
  ['an error of the disk', coded('EIO')],
  ['a missing right', coded('EACCES')],
  ['no descriptor left', coded('EMFILE')],
  ['a file that is gone in the midst of a look', coded('ENOENT')],
  ['an error of the service', Object.assign(new Error('503 SlowDown'), { $metadata: { httpStatusCode: 503 } })],
  ['a wrong clock', new Error('403 RequestTimeTooSkewed')],
])('no answer says nothing of a log: %s', async (_, error) => {
  await watch.look();
  for (const [one, other] of [
    [fails(error), async () => true],
    [there, fails(error)],
    [absent, fails(error)],
  ] as const) {
    [entry, isOurs] = [one, other];
    await watch.look();
    expect(watch.reason).toBe(null);
  }
  // nor that one that is lost is there again
  [entry, isOurs] = [absent, async () => true];
  await watch.look();
  expect(watch.reason).toBe('entry 7 of the log is gone');
  entry = fails(error);
  await watch.look();
  expect(watch.reason).toBe('entry 7 of the log is gone');
  entry = there;
  await watch.look();
  expect(changes).toEqual(['entry 7 of the log is gone', null]);
});

it.each([
  ['without its identity', there, async () => false, /cluster\.json/],
  ['without its last entry', absent, async () => true, /entry 7/],
  ['without its folder', there, fails(new MissingStoreError('the folder is gone')), /the folder is gone/],
  ['without the folder of its log', fails(new MissingStoreError('gone')), async () => true, /gone/],
])('a log is lost %s, until it is seen again', async (_, itsEntry, itsIdentity, reason) => {
  await watch.look();
  expect(watch.reason).toBe(null);
  [entry, isOurs] = [itsEntry, itsIdentity];
  await watch.look();
  expect(watch.reason).toMatch(reason);
  await watch.look();
  [entry, isOurs] = [there, async () => true];
  await watch.look();
  expect(changes).toEqual([expect.stringMatching(reason), null]);
});

it('an entry that was written after those before it were lost does not stand for them', async () => {
  await watch.look();
  position = 9;
  entry = absent;
  await watch.look();
  expect([watch.reason, asked]).toEqual(['entry 7 of the log is gone', [7]]);
  entry = there;
  await watch.look();
  await watch.look();
  expect([watch.reason, asked]).toEqual([null, [7, 7, 9]]);
});

it('a log whose beginning was trimmed is not lost', async () => {
  await watch.look();
  entry = fails(new TrimmedError(7, 100));
  await watch.look();
  expect(watch.reason).toBe(null);
});

it('a read of a leader that does not find what was there is no end, and what is there is read', async () => {
  watch.foundNone(8);
  expect(watch.reason).toBe(null);
  expect(() => watch.foundNone(7)).toThrow('entry 7 of the log is gone');
  // while it is lost nobody knows where it ends
  expect(() => watch.foundNone(8)).toThrow('entry 7 of the log is gone');
  await watch.look();
  expect([watch.reason, asked]).toEqual([null, [7]]);
  watch.foundNone(8);
  isLeading = false;
  watch.foundNone(7);
  expect(watch.reason).toBe(null);
});

it('what was lost is no concern of a node that leads no longer, nor is a look that comes late', async () => {
  await watch.look();
  entry = absent;
  await watch.look();
  watch.end();
  expect(changes).toEqual(['entry 7 of the log is gone', null]);
  // the next time it leads
  entry = there;
  await watch.look();
  let answer = (_: readonly StoredEntry[]): void => undefined;
  entry = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  const late = watch.look();
  // looks do not pile up behind a link that is stuck
  await watch.look();
  await watch.look();
  expect(asked).toEqual([7, 7]);
  watch.end();
  answer([]);
  await late;
  expect(watch.reason).toBe(null);
});
