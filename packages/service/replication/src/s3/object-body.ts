import type { Readable } from 'node:stream';
import type { AttemptTiming } from './attempts.js';
import { cutOff, errorOf, failureOf } from './s3-error.js';

/** An answer to a request for an object, whose bytes were not read yet. */
export interface OpenedObject {
  readonly stream: Readable;
  /** Bytes of the answer. */
  readonly bytes: number;
  /** Differs when the object is replaced. */
  readonly tag: string | undefined;
}

/**
 * The bytes of an answer. When the connection breaks they go on with another request, from where they had come to.
 *
 * @param reopen asks for what follows the first `skipped` bytes of the answer; null: the object was removed or replaced
 */
export async function* bodyOf(
  opened: OpenedObject,
  reopen: (skipped: number, tag: string | undefined) => Promise<OpenedObject | null>,
  timing: AttemptTiming,
  place: string,
): AsyncGenerator<Uint8Array> {
  let received = 0;
  for (let failures = 0, current = opened; received < opened.bytes; ) {
    let thrown: unknown = cutOff();
    try {
      for await (const chunk of current.stream as AsyncIterable<Uint8Array>) {
        received += chunk.length;
        failures = 0;
        yield chunk;
      }
    } catch (error) {
      thrown = error;
    } finally {
      current.stream.destroy();
    }
    if (received >= opened.bytes) return;
    failures += 1;
    if (failures >= timing.attempts) throw errorOf(failureOf(thrown), place);
    await timing.pause(timing.pauseMs * failures);
    const next = await reopen(received, opened.tag);
    if (next === null) throw new Error('an object was replaced or removed while it was read');
    current = next;
  }
}
