import type { EmbeddingWorker } from '@fossick/embedders';
import { Bell, MessageChannel } from '@fossick/threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BlockingVectors } from './blocking-vectors.js';

const embedder = { source: 'ollama', url: 'http://192.0.2.1/api/embed', model: 'm' } as never;
const making = { isCanceled: () => false, onRequest: () => undefined };

/** Threads that answer at once, and how many of them were started and let end. */
class Threads {
  started = 0;
  ended = 0;
  /** Local models hold their thread: it only unloads them. */
  isHeld = false;
  readonly vectors = new BlockingVectors({ allowedNetworks: null, limits: {} as never, isEnding: () => false }, () =>
    this.start(),
  );

  /** As a task with one document. */
  runTask(): void {
    const pending = this.vectors.begin(embedder, [{ kind: 'text', text: 'x' }], making);
    expect(pending.take()).toEqual([Float32Array.of(1, 2)]);
    this.vectors.rest();
  }

  private start(): ReturnType<NonNullable<ConstructorParameters<typeof BlockingVectors>[1]>> {
    this.started += 1;
    const { port1, port2 } = new MessageChannel();
    return {
      port: port1,
      bell: new Bell(),
      isEnded: false,
      send: (command: Parameters<EmbeddingWorker['send']>[0]) => {
        if (command.kind === 'ask')
          port2.postMessage({ kind: 'vectors', id: command.id, values: Float32Array.of(1, 2), dimCount: 2 });
      },
      rest: () => {
        this.ended += this.isHeld ? 0 : 1;
        return !this.isHeld;
      },
      end: () => {
        this.ended += 1;
        port1.close();
      },
    };
  }
}

describe('the thread that makes vectors', () => {
  let threads: Threads;
  beforeEach(() => {
    vi.useFakeTimers();
    threads = new Threads();
  });
  afterEach(() => {
    threads.vectors.close();
    vi.useRealTimers();
  });

  it.each([0, 1, 500, 10_000, 59_999])('is started once for two tasks %i ms apart', (apartMs) => {
    threads.runTask();
    vi.advanceTimersByTime(apartMs);
    threads.runTask();
    expect([threads.started, threads.ended]).toEqual([1, 0]);
  });

  it('ends when nothing is requested for a minute, and the next task starts another', () => {
    threads.runTask();
    vi.advanceTimersByTime(60_000);
    expect(threads.ended).toBe(1);
    threads.runTask();
    expect(threads.started).toBe(2);
  });

  it('counts the minute from the last time that there was nothing to do', () => {
    threads.runTask();
    for (let at = 0; at < 5; at++) {
      vi.advanceTimersByTime(40_000);
      threads.vectors.rest();
    }
    expect(threads.ended).toBe(0);
    vi.advanceTimersByTime(60_000);
    expect(threads.ended).toBe(1);
  });

  it('does not end while a request is open', () => {
    threads.runTask();
    const pending = threads.vectors.begin(embedder, [{ kind: 'text', text: 'x' }], making);
    vi.advanceTimersByTime(600_000);
    expect(pending.take()).toHaveLength(1);
    expect([threads.started, threads.ended]).toEqual([1, 0]);
  });

  it('stays when it holds local models', () => {
    threads.isHeld = true;
    threads.runTask();
    vi.advanceTimersByTime(60_000);
    threads.runTask();
    expect(threads.started).toBe(1);
  });

  it('is not started by rest, and has no timer after close', () => {
    threads.vectors.rest();
    expect([threads.started, vi.getTimerCount()]).toEqual([0, 0]);
    threads.runTask();
    expect(vi.getTimerCount()).toBe(1);
    threads.vectors.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
