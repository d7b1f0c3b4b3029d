import { expect, it } from 'vitest';
import { ChangeStream, type ChangeStreamOptions } from './change-stream.js';

const shown: number[] = [];
function open(options: Partial<ChangeStreamOptions> = {}): ChangeStream {
  shown.length = 0;
  return new ChangeStream({
    show: (uid) => {
      shown.push(uid);
      return `{"uid":${uid}}`;
    },
    keepAliveMs: 60_000,
    mayListen: () => true,
    onFault: (error) => expect.fail(String(error)),
    ...options,
  });
}
const uids = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('a client that does not read has some events waiting, however many objects change', async () => {
  const stream = open();
  stream.add([0]);
  stream.read();
  for (let round = 0; round < 10; round++) {
    stream.add(uids(0, 100_000));
    await turn();
  }
  expect(stream.readableLength).toBeLessThan(2 * stream.readableHighWaterMark);
  expect(shown.length).toBeLessThan(5_000);
  stream.destroy();
});

it('a client that reads again gets each object once, as it is then', async () => {
  const stream = open();
  stream.add(uids(0, 3_000));
  stream.add(uids(0, 3_000));
  let text = '';
  for await (const piece of stream) {
    text += String(piece);
    if (text.includes('"uid":2999}')) break;
  }
  const received = text
    .trim()
    .split('\n\n')
    .map((frame) => JSON.parse(frame.slice('data: '.length)) as { uid: number });
  expect(received.map(({ uid }) => uid)).toEqual(uids(0, 3_000));
});

it('objects that the client does not want are looked at a hundred at a time', async () => {
  const stream = open({
    show: (uid) => {
      shown.push(uid);
      return uid === 999 ? '{}' : undefined;
    },
  });
  const wanted = new Promise<string>((resolve) => stream.once('data', (piece) => resolve(String(piece))));
  stream.add(uids(0, 1_000));
  expect(shown.length).toBeLessThanOrEqual(100);
  expect(await wanted).toBe('data: {}\n\n');
  stream.destroy();
});

it('silence is broken by comments, until the client may no longer listen', async () => {
  let asked = 0;
  const stream = open({ keepAliveMs: 1, mayListen: () => ++asked <= 2 });
  let text = '';
  for await (const piece of stream) text += String(piece);
  expect(text).toBe(': keep-alive\n\n: keep-alive\n\n');
});
