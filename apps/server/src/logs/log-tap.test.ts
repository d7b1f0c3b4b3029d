import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { LogTap } from './log-tap.js';

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });
const line = `${JSON.stringify({ level: 30, time: 0, msg: 'x'.repeat(1_000) })}\n`;

test('a listener that does not read is sent away before its lines fill the memory', async () => {
  const tap = new LogTap(nowhere(), 60);
  const stream = new PassThrough();
  tap.open({ stream, level: 30, mode: 'json' });
  for (let count = 0; count < 10_000 && tap.isStreaming; count++) tap.write(line);
  expect(tap.isStreaming).toBe(false);
  expect(stream.destroyed).toBe(true);
  expect(stream.writableLength).toBeLessThan(2 << 20);
  tap.write(line);
});

test('a listener that reads stays', async () => {
  const tap = new LogTap(nowhere(), 60);
  const stream = new PassThrough();
  let readBytes = 0;
  stream.on('data', (chunk: Buffer) => {
    readBytes += chunk.length;
  });
  tap.open({ stream, level: 30, mode: 'json' });
  for (let count = 0; count < 10_000; count++) {
    tap.write(line);
    if (count % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(tap.isStreaming).toBe(true);
  tap.close();
  await new Promise((resolve) => stream.once('end', resolve));
  expect(readBytes).toBe(10_000 * line.length);
});
