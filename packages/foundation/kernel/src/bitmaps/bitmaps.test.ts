import type { DocId } from '@fossick/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKernel, type Kernel } from '../kernel.js';
import { type Bitmap, type Block, u32ArrayIn } from '../ptr.js';

const BIT_COUNT = 700;
const bits = fc.uniqueArray(fc.nat(BIT_COUNT - 1), { maxLength: 200 }).map((all) => all.sort((a, b) => a - b));

function made(kernel: Kernel, members: readonly number[]): Bitmap {
  const bitmap = kernel.bitmaps.create(BIT_COUNT);
  kernel.bitmaps.setMany(bitmap, kernel.memory.scratchU32(members), members.length);
  return bitmap;
}

describe.each(['checked', 'fast'] as const)('bitmaps and memory, %s build', (build) => {
  const kernel = createKernel({ build });
  const members = (bitmap: Bitmap) => [...kernel.bitmaps.members(bitmap, 0, BIT_COUNT)];

  test('subtracting a bitmap counts its bits, whether they were set or not', () => {
    fc.assert(
      fc.property(bits, bits, (a, b) => {
        const mark = kernel.memory.mark();
        const left = made(kernel, a);
        expect(kernel.bitmaps.subtract(left, made(kernel, b))).toBe(b.length);
        expect(members(left)).toEqual(a.filter((bit) => !b.includes(bit)));
        kernel.memory.release(mark);
      }),
    );
  });

  test('a pool reuses released bitmaps, cleared', () => {
    fc.assert(
      fc.property(bits, bits, (a, b) => {
        const mark = kernel.memory.mark();
        const [left, right] = [made(kernel, a), made(kernel, b)];
        const pool = kernel.pools.create(BIT_COUNT);
        const copy = kernel.pools.copy(pool, left);
        expect(members(copy)).toEqual(a);
        kernel.pools.release(pool, copy);
        const both = a.filter((bit) => b.includes(bit));
        const met = kernel.pools.intersection(pool, left, right);
        expect(met).toBe(both.length === 0 ? 0 : copy);
        if (met !== 0) {
          expect(members(met)).toEqual(both);
          kernel.pools.release(pool, met);
        }
        expect(kernel.pools.empty(pool)).toBe(copy);
        expect(kernel.bitmaps.isEmpty(copy)).toBe(true);
        expect(kernel.pools.empty(pool)).not.toBe(copy);
        kernel.memory.release(mark);
      }),
    );
  });

  test('set algebra', () => {
    fc.assert(
      fc.property(bits, bits, (a, b) => {
        const mark = kernel.memory.mark();
        const [left, right, inB] = [made(kernel, a), made(kernel, b), new Set(b)];
        const both = a.filter((bit) => inB.has(bit));
        const result = kernel.bitmaps.copy(left);
        kernel.bitmaps.and(result, right);
        expect(members(result)).toEqual(both);
        kernel.bitmaps.or(result, left);
        kernel.bitmaps.andNot(result, right);
        expect(members(result)).toEqual(a.filter((bit) => !inB.has(bit)));
        kernel.bitmaps.or(result, right);
        expect(members(result)).toEqual([...new Set([...a, ...b])].sort((x, y) => x - y));
        expect(kernel.bitmaps.count(left)).toBe(a.length);
        expect(kernel.bitmaps.intersectionCount(left, right)).toBe(both.length);
        expect(kernel.bitmaps.isEmpty(left)).toBe(a.length === 0);
        expect(kernel.bitmaps.bitCapacity(result)).toBe(768);
        kernel.bitmaps.clear(result);
        expect(kernel.bitmaps.isEmpty(result)).toBe(true);
        kernel.memory.release(mark);
      }),
    );
  });

  test('wide bitmaps of few bits answer like others, listed or not, and are given back empty', () => {
    const wide = 1_000_000;
    const some = fc.uniqueArray(fc.nat(wide - 1), { maxLength: 700 }).map((all) => all.sort((a, b) => a - b));
    const near = fc.array(fc.nat(50_000), { maxLength: 60 });
    fc.assert(
      fc.property(some, some, near, fc.nat(600), (left, right, common, most) => {
        const mark = kernel.memory.mark();
        const pool = kernel.pools.create(wide);
        const { bitmaps, pools } = kernel;
        const of = (bitmap: Bitmap) => [...bitmaps.members(bitmap, 0, wide)];
        const sorted = (all: readonly number[]) => [...new Set(all)].sort((x, y) => x - y);
        const [a, b] = [sorted([...left, ...common]), sorted([...right, ...common])];
        const inB = new Set(b);
        const both = a.filter((bit) => inB.has(bit));
        const rest = a.filter((bit) => !inB.has(bit));
        const filled = (bits: readonly number[]) => {
          const bitmap = pools.empty(pool);
          bitmaps.setMany(bitmap, kernel.memory.scratchU32(bits), bits.length);
          return bitmap;
        };
        for (const lists of [0, 1, 2, 3]) {
          const [x, y] = [filled(a), filled(b)];
          if (lists & 1) expect(bitmaps.isSparse(x, Math.min(most, 512))).toBe(a.length <= Math.min(most, 512));
          if (lists & 2) bitmaps.isSparse(y, 512);
          expect([bitmaps.count(x), bitmaps.intersectionCount(x, y)]).toEqual([a.length, both.length]);
          expect(bitmaps.isEmpty(x)).toBe(a.length === 0);
          expect([...bitmaps.members(x, 3, 9), ...bitmaps.members(x, 0, 5)]).toEqual([
            ...a.slice(3, 12),
            ...a.slice(0, 5),
          ]);
          const met = pools.intersection(pool, x, y);
          expect(met === 0 ? [] : of(met)).toEqual(both);
          const [copy, joined] = [pools.copy(pool, x), pools.copy(pool, x)];
          expect(of(copy)).toEqual(a);
          bitmaps.or(joined, y);
          expect(of(joined)).toEqual(sorted([...a, ...b]));
          bitmaps.and(copy, y);
          expect([of(copy), bitmaps.count(copy)]).toEqual([both, both.length]);
          const wider = pools.copy(pool, copy);
          bitmaps.or(wider, x);
          bitmaps.set(wider, 7 as DocId);
          expect(of(wider)).toEqual(sorted([...a, 7]));
          pools.release(pool, wider);
          const from = 300_032;
          const inWindow = a.filter((bit) => bit >= from && bit < from + 400_000);
          const window = kernel.windows.create(from, 400_000);
          for (const bit of inWindow) bitmaps.set(window as Bitmap, (bit - from) as DocId);
          expect(kernel.windows.countBeside(x, window)).toBe(inWindow.length);
          const found = pools.empty(pool);
          kernel.windows.or(found, window, y, 0);
          expect(of(found)).toEqual(both.filter((bit) => inWindow.includes(bit)));
          kernel.memory.free(window);
          pools.release(pool, found);
          const within = filled(both);
          expect(bitmaps.subtract(x, y)).toBe(b.length);
          expect(of(x)).toEqual(rest);
          bitmaps.set(x, 7 as DocId);
          expect(of(x)).toEqual(sorted([...rest, 7]));
          pools.releaseWithin(pool, within, y);
          for (const bitmap of [x, y, copy, joined, met]) if (bitmap !== 0) pools.release(pool, bitmap);
          const again = [1, 2, 3, 4, 5, 6, 7].map(() => pools.empty(pool));
          for (const bitmap of again) expect(bitmaps.count(bitmap)).toBe(0);
          for (const bitmap of again) pools.release(pool, bitmap);
        }
        kernel.memory.release(mark);
      }),
      { numRuns: 40 },
    );
  });

  test('an intersection of few bits lists its lanes, and so does a bitmap that meets a listed one', () => {
    const mark = kernel.memory.mark();
    const { bitmaps, pools, memory } = kernel;
    const pool = pools.create(1_000_000);
    const everySecond = (count: number) => {
      const bitmap = pools.empty(pool);
      for (let bit = 0; bit < count; bit++) bitmaps.set(bitmap, (bit * 256) as DocId);
      return bitmap;
    };
    const laneCount = (bitmap: Bitmap) => memory.u32At(bitmap as never, 2) - 1; // of its header; -1: none are listed
    const [few, many] = [everySecond(511), everySecond(3_000)];
    const [met, both] = [pools.intersection(pool, few, many), pools.intersection(pool, many, many)] as Bitmap[];
    expect([few, many, met!, both!].map(laneCount)).toEqual([-1, -1, 511, -1]);
    bitmaps.and(many, met!);
    expect([laneCount(many), bitmaps.count(many)]).toEqual([511, 511]);
    memory.release(mark);
  });

  test('single bits and walks', () => {
    fc.assert(
      fc.property(bits, fc.nat(BIT_COUNT + 200), fc.nat(50), fc.nat(50), (all, from, skip, limit) => {
        const mark = kernel.memory.mark();
        const bitmap = made(kernel, all);
        expect(kernel.bitmaps.next(bitmap, from)).toBe(all.find((bit) => bit >= from) ?? -1);
        expect([...kernel.bitmaps.members(bitmap, skip, limit)]).toEqual(all.slice(skip, skip + limit));
        expect(kernel.bitmaps.has(bitmap, from as DocId)).toBe(all.includes(from));
        kernel.bitmaps.unset(bitmap, from as DocId);
        expect(kernel.bitmaps.has(bitmap, from as DocId)).toBe(false);
        kernel.memory.release(mark);
      }),
    );
  });

  test('long-lived blocks keep their bytes, do not overlap and are used again', () => {
    const arena = createKernel({ build });
    const sizes = fc.array(fc.tuple(fc.integer({ min: 0, max: 90_000 }), fc.boolean()), { maxLength: 60 });
    fc.assert(
      fc.property(sizes, (steps) => {
        const before = arena.memory.allocatedBytes;
        const held: { ptr: Block; bytes: Uint8Array }[] = [];
        steps.forEach(([size, drop], i) => {
          const bytes = new Uint8Array(size).fill(i + 1);
          const ptr = arena.memory.allocate(size);
          expect(ptr % 16).toBe(0);
          arena.memory.write(ptr, bytes);
          held.push({ ptr, bytes });
          if (drop) arena.memory.free(held.splice((i * 7) % held.length, 1)[0]!.ptr);
        });
        for (const { ptr, bytes } of held) expect(Buffer.compare(arena.memory.read(ptr, bytes.length), bytes)).toBe(0);
        for (const { ptr } of held) arena.memory.free(ptr);
        expect(arena.memory.allocatedBytes).toBe(before);
      }),
      { numRuns: 60 },
    );
    const high = Array.from({ length: 200 }, () => {
      const ptr = arena.memory.allocate(3_000_000);
      arena.memory.free(ptr);
      return ptr;
    });
    expect(new Set(high).size).toBe(1);
  });

  test('scratch: big requests, nested marks, and long-lived blocks made in between', () => {
    const arena = createKernel({ build });
    const outer = arena.memory.mark();
    const small = arena.memory.scratchU32([1, 2]);
    const inner = arena.memory.mark();
    const big = arena.memory.scratch(5_000_000);
    const kept = arena.memory.residentU32([5, ...Array<number>(24)]);
    arena.memory.writeU32(u32ArrayIn(big, 4_999_992), [3, 4]);
    arena.memory.release(inner);
    expect(arena.memory.mark()).toBe(inner);
    expect([...arena.memory.u32s(small, 0, 2), ...arena.memory.u32s(kept, 0, 1)]).toEqual([1, 2, 5]);
    arena.memory.release(outer);
    expect(arena.memory.scratch(8)).toBe(small);
    arena.memory.free(kept);
    expect(arena.memory.allocatedBytes).toBe(0);
  });
});
