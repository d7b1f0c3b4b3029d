import { describe, expect, it } from 'vitest';
import { bytesOf } from '../object-bytes.js';
import type { ObjectStore } from '../port.js';
import { probeObjects } from '../probe.js';

const text = (value: string): Uint8Array => Buffer.from(value);

/** What every object store must do. `open` returns a new, empty store, and another client of it by `again`; `fill` makes it take nothing. */
export function describeObjectStore(
  name: string,
  open: () => Promise<{
    readonly objects: ObjectStore;
    readonly again: () => ObjectStore;
    readonly fill?: () => () => void;
    readonly close?: () => Promise<void>;
  }>,
): void {
  const within =
    (work: (objects: ObjectStore, other: ObjectStore) => Promise<void>): (() => Promise<void>) =>
    async () => {
      const { objects, again, close } = await open();
      try {
        await work(objects, again());
      } finally {
        await close?.();
      }
    };

  describe(`the object store ${name}`, () => {
    it(
      'gives back what was put, to every client',
      within(async (objects, other) => {
        expect(await objects.put('a/b', text('one'))).toBe('put');
        expect(await read(other, 'a/b')).toBe('one');
        expect(await other.put('a/b', text('two'))).toBe('put');
        expect(await read(objects, 'a/b')).toBe('two');
        expect(await read(objects, 'a')).toBeNull();
        expect(await read(objects, 'a/b/c')).toBeNull();
        expect(await objects.put('empty', text(''))).toBe('put');
        expect(await read(objects, 'empty')).toBe('');
      }),
    );

    it(
      'keeps bytes that the caller changes later',
      within(async (objects) => {
        const body = text('one');
        const put = objects.put('a', body);
        await put;
        body.fill(0);
        expect(await read(objects, 'a')).toBe('one');
      }),
    );

    it(
      'takes and gives streams of several mebibytes',
      within(async (objects, other) => {
        const chunk = (at: number): Uint8Array => new Uint8Array(700_001).fill(at);
        async function* chunks(): AsyncGenerator<Uint8Array> {
          for (let at = 0; at < 10; at++) yield chunk(at);
        }
        expect(await objects.put('large', chunks(), { ifAbsent: true })).toBe('put');
        const bytes = await bytesOf((await other.get('large'))!, Number.POSITIVE_INFINITY);
        expect(Buffer.compare(bytes, Buffer.concat(Array.from({ length: 10 }, (_, at) => chunk(at))))).toBe(0);
      }),
    );

    it(
      'puts nothing when a stream fails',
      within(async (objects) => {
        async function* failing(): AsyncGenerator<Uint8Array> {
          yield text('one');
          throw new Error('the stream broke');
        }
        await expect(objects.put('a', failing())).rejects.toThrow('the stream broke');
        expect(await read(objects, 'a')).toBeNull();
      }),
    );

    it('says so when it has put nothing for lack of space, and goes on when there is some', async (context) => {
      const { objects, again, fill, close } = await open();
      try {
        if (fill === undefined) return context.skip('this store cannot be made full');
        await objects.put('a', text('one'));
        const empty = fill();
        for (const options of [{}, { ifAbsent: true }, { ifAbsent: true, requires: 'a' }])
          for (const key of ['a', 'b/c'])
            await expect(objects.put(key, text('two'), options)).rejects.toMatchObject({ isUnwritten: true });
        expect([await read(again(), 'a'), await read(again(), 'b/c')]).toEqual(['one', null]);
        empty();
        expect(await objects.put('b/c', text('two'), { ifAbsent: true, requires: 'a' })).toBe('put');
        expect(await list(objects, '')).toEqual(['a', 'b/c']);
      } finally {
        await close?.();
      }
    });

    it(
      'reads parts of objects',
      within(async (objects) => {
        await objects.put('a', text('0123456789'));
        expect(await read(objects, 'a', { start: 2, end: 5 })).toBe('234');
        expect(await read(objects, 'a', { start: 8, end: 50 })).toBe('89');
        expect(await read(objects, 'none', { start: 0, end: 1 })).toBeNull();
      }),
    );

    it(
      'creates if absent once',
      within(async (objects, other) => {
        expect(await objects.put('a', text('one'), { ifAbsent: true })).toBe('put');
        expect(await other.put('a', text('two'), { ifAbsent: true })).toBe('exists');
        expect(await read(objects, 'a')).toBe('one');
        await other.delete('a');
        expect(await objects.put('a', text('three'), { ifAbsent: true })).toBe('put');
        expect(await read(other, 'a')).toBe('three');
      }),
    );

    it(
      'passes the probe',
      within(async (objects, other) => {
        await probeObjects(objects, { key: 'probe/one' });
        await probeObjects(other, { key: 'probe/one' });
        const creates = Array.from({ length: 40 }, (_, at) =>
          (at % 2 === 0 ? objects : other).put('race', text(`${at}`), { ifAbsent: true }),
        );
        const winners = (await Promise.all(creates)).flatMap((outcome, at) => (outcome === 'put' ? [`${at}`] : []));
        expect(winners).toHaveLength(1);
        expect(await read(objects, 'race')).toBe(winners[0]);
      }),
    );

    it(
      'deletes, also what is not there',
      within(async (objects, other) => {
        await objects.put('a', text('one'));
        await other.delete('a');
        await objects.delete('a');
        await objects.delete('b/c');
        expect(await read(objects, 'a')).toBeNull();
      }),
    );

    it(
      'lists by prefix in the order of bytes, from a key on',
      within(async (objects) => {
        const keys = ['a-b', 'a/1', 'a/10', 'a/2', 'a/b/c', 'a0', 'b/1', 'B/1'];
        for (const key of keys) await objects.put(key, text(key));
        expect(await list(objects, '')).toEqual(['B/1', 'a-b', 'a/1', 'a/10', 'a/2', 'a/b/c', 'a0', 'b/1']);
        expect(await list(objects, 'a/')).toEqual(['a/1', 'a/10', 'a/2', 'a/b/c']);
        expect(await list(objects, 'a/1')).toEqual(['a/1', 'a/10']);
        expect(await list(objects, 'a/', 'a/10')).toEqual(['a/2', 'a/b/c']);
        expect(await list(objects, 'none/')).toEqual([]);
        for await (const { key, bytes } of objects.list('a/b')) expect([key, bytes]).toEqual(['a/b/c', 5]);
      }),
    );

    it(
      'lists more objects than one answer of S3 has',
      within(async (objects) => {
        const keys = Array.from({ length: 1_100 }, (_, at) => `many/${String(at).padStart(5, '0')}`);
        for (let at = 0; at < keys.length; at += 100) {
          await Promise.all(keys.slice(at, at + 100).map((key) => objects.put(key, text('x'))));
        }
        expect(await list(objects, 'many/')).toEqual(keys);
      }),
    );

    it.each(['', '/a', 'a//b', 'a/', '../a', 'a/../b', '.a', 'a b', 'é', 'a\n'])('refuses the key %j', async (key) => {
      const { objects, close } = await open();
      await expect(objects.put(key, text('x'))).rejects.toThrow(RangeError);
      await close?.();
    });
  });
}

async function read(objects: ObjectStore, key: string, range?: { start: number; end: number }): Promise<string | null> {
  const body = await objects.get(key, range);
  return body === null ? null : Buffer.from(await bytesOf(body, 1 << 20)).toString();
}

async function list(objects: ObjectStore, prefix: string, after?: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of objects.list(prefix, after)) keys.push(key);
  return keys;
}
