import { bytesOf } from './object-bytes.js';
import { type ObjectStore, UnsafeStoreError } from './port.js';

/** Creates that meet: stores that let several win did so with as few as three. */
const CREATES = 32;
/** Each time with another key. */
const ROUNDS = 3;

export interface ProbeOptions {
  /** No other probe may have used it. */
  readonly key: string;
}

/**
 * Checks that a store creates an object once, regardless of who tries at the same time, and that everybody sees it at once. Rejects
 * with UnsafeStoreError when it does not, and with the store's error when it does not answer. Leaves no object when
 * it resolves. Not a proof: the chain of the log finds later what this does not.
 */
export async function probeObjects(objects: ObjectStore, { key }: ProbeOptions): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) await probeOnce(objects, `${key}-${round}`);
}

async function probeOnce(objects: ObjectStore, key: string): Promise<void> {
  if ((await objects.get(key)) !== null) throw new UnsafeStoreError(`the key ${key} of a probe is in use`);
  const bodies = Array.from({ length: CREATES }, (_, at) => Buffer.from(`probe ${at}`));
  const outcomes = await Promise.all(
    bodies.map(async (body) => {
      const outcome = await objects.put(key, body, { ifAbsent: true });
      return { outcome, seen: await objects.get(key) };
    }),
  );
  const winners = outcomes.flatMap(({ outcome }, at) => (outcome === 'put' ? [at] : []));
  if (winners.length !== 1) {
    throw new UnsafeStoreError(
      `of ${CREATES} concurrent creates of one object, ${winners.length} succeeded instead of 1`,
    );
  }
  for (const { seen } of outcomes) {
    const bytes = seen === null ? null : await bytesOf(seen, 1_024);
    if (bytes === null || Buffer.compare(bytes, bodies[winners[0]!]!) !== 0) {
      throw new UnsafeStoreError('a create that had succeeded was not seen, or was replaced by one that had failed');
    }
  }
  if ((await objects.put(key, Buffer.from('again'), { ifAbsent: true })) !== 'exists') {
    throw new UnsafeStoreError('an object that was there was created again');
  }
  await objects.delete(key);
  if ((await objects.get(key)) !== null) throw new UnsafeStoreError('an object was seen after it had been deleted');
}
