import { describe, expect, it } from 'vitest';
import { createPipe, PipeAbandoned, PipeReader, PipeWriter } from './byte-pipe.js';

describe('a pipe of bytes', () => {
  it('has a frame ready when all of it is there', () => {
    const pipe = createPipe(256);
    const [writer, reader] = [new PipeWriter(pipe), new PipeReader(pipe, false)];
    // around the end of the ring, whatever part of a frame is there
    for (let round = 0; round < 100; round++) {
      expect(reader.isReady).toBe(false);
      const body = Uint8Array.from({ length: 1 + ((round * 37) % 200) }, (_, at) => (at + round) & 255);
      writer.frame(7, body.length);
      writer.flush();
      expect(reader.isReady).toBe(false);
      writer.write(body.subarray(0, -1));
      writer.flush();
      expect(reader.isReady).toBe(false);
      writer.write(body.subarray(-1));
      writer.flush();
      expect(reader.isReady).toBe(true);
      const { kind, body: read } = reader.frame();
      expect([kind, ...read]).toEqual([7, ...body]);
    }
  });

  it('ends the work of its writer when the reader wants no more, also one that would wait without end', () => {
    const pipe = createPipe(64);
    const [writer, reader] = [new PipeWriter(pipe, undefined, true), new PipeReader(pipe, false)];
    writer.write(new Uint8Array(64));
    writer.checkWanted();
    reader.abandon();
    expect(() => writer.checkWanted()).toThrow(PipeAbandoned);
    // the pipe is full
    expect(() => writer.write(new Uint8Array(1))).toThrow(PipeAbandoned);
  });
});
