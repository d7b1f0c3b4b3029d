import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKernel } from './kernel.js';
import type { Kernel } from './port.js';
import { type Bitmap, type Block, u32ArrayIn } from './ptr.js';

const BIT_COUNT = 700;
const bits = fc.uniqueArray(fc.nat(BIT_COUNT - 1), { maxLength: 200 }).map((all) => all.sort((a, b) => a - b));

function made(kernel: Kernel, members: readonly number[]): Bitmap {
  const bitmap = kernel.bitmap(BIT_COUNT);
  kernel.setMany(bitmap, kernel.scratchU32(members), members.length);
  return bitmap;
}

describe.each(['checked', 'fast'] as const)('bitmaps and memory, %s build', (build) => {
  const kernel = createKernel({ build });
  const members = (bitmap: Bitmap) => [...kernel.members(bitmap, 0, BIT_COUNT)];

  test('what is taken out of a bitmap is counted, whether it was there or not', () => {
    fc.assert(
      fc.property(bits, bits, (a, b) => {
        const mark = kernel.mark();
        const left = made(kernel, a);
        expect(kernel.takeOut(left, made(kernel, b))).toBe(b.length);
        expect(members(left)).toEqual(a.filter((bit) => !b.includes(bit)));
        kernel.release(mark);
      }),
    );
  });

  test('a pool uses again what it was given back, and keeps nothing of it', () => {
    fc.assert(
      fc.property(bits, bits, (a, b) => {
        const mark = kernel.mark();
        const [left, right] = [made(kernel, a), made(kernel, b)];
        const pool = kernel.createPool(BIT_COUNT);
        const copy = kernel.poolCopy(pool, left);
        expect(members(copy)).toEqual(a);
        kernel.poolGive(pool, copy);
        const both = a.filter((bit) => b.includes(bit));
        const met = kernel.poolMeet(pool, left, right);
        expect(met).toBe(both.length === 0 ? 0 : copy);
        if (met !== 0) {
          expect(members(met)).toEqual(both);
          kernel.poolGive(pool, met);
        }
        expect(kernel.poolEmpty(pool)).toBe(copy);
        expect(kernel.isEmpty(copy)).toBe(true);
        expect(kernel.poolEmpty(pool)).not.toBe(copy);
        kernel.release(mark);
      }),
    );
  });

  test('set algebra', () => {
    fc.assert(
      fc.property(bits, bits, (a, b) => {
        const mark = kernel.mark();
        const [left, right, inB] = [made(kernel, a), made(kernel, b), new Set(b)];
        const both = a.filter((bit) => inB.has(bit));
        const result = kernel.copyOf(left);
        kernel.and(result, right);
        expect(members(result)).toEqual(both);
        kernel.assign(result, left);
        kernel.andNot(result, right);
        expect(members(result)).toEqual(a.filter((bit) => !inB.has(bit)));
        kernel.or(result, right);
        expect(members(result)).toEqual([...new Set([...a, ...b])].sort((x, y) => x - y));
        expect(kernel.count(left)).toBe(a.length);
        expect(kernel.intersectionCount(left, right)).toBe(both.length);
        expect(kernel.intersects(left, right)).toBe(both.length > 0);
        expect(kernel.isEmpty(left)).toBe(a.length === 0);
        for (const [within, without] of [
          [0, 0],
          [left, 0],
          [0, right],
          [left, right],
        ] as const) {
          kernel.assign(result, left);
          kernel.unset(result, 0);
          kernel.orMasked(result, right, within, without);
          const added = b.filter((bit) => (within === 0 || a.includes(bit)) && without === 0);
          expect(members(result)).toEqual(
            [...new Set([...a.filter((bit) => bit > 0), ...added])].sort((x, y) => x - y),
          );
        }
        expect(kernel.bitCapacity(result)).toBe(768);
        kernel.clear(result);
        expect(kernel.isEmpty(result)).toBe(true);
        kernel.release(mark);
      }),
    );
  });

  test('single bits and walks', () => {
    fc.assert(
      fc.property(bits, fc.nat(BIT_COUNT + 200), fc.nat(50), fc.nat(50), (all, from, skip, limit) => {
        const mark = kernel.mark();
        const bitmap = made(kernel, all);
        expect(kernel.next(bitmap, from)).toBe(all.find((bit) => bit >= from) ?? -1);
        expect([...kernel.members(bitmap, skip, limit)]).toEqual(all.slice(skip, skip + limit));
        expect(kernel.has(bitmap, from)).toBe(all.includes(from));
        kernel.unset(bitmap, from);
        expect(kernel.has(bitmap, from)).toBe(false);
        kernel.release(mark);
      }),
    );
  });

  test('long-lived blocks keep their bytes, do not overlap and are used again', () => {
    const arena = createKernel({ build });
    const sizes = fc.array(fc.tuple(fc.integer({ min: 0, max: 90_000 }), fc.boolean()), { maxLength: 60 });
    fc.assert(
      fc.property(sizes, (steps) => {
        const before = arena.allocatedBytes;
        const held: { ptr: Block; bytes: Uint8Array }[] = [];
        steps.forEach(([size, drop], i) => {
          const bytes = new Uint8Array(size).fill(i + 1);
          const ptr = arena.allocate(size);
          expect(ptr % 16).toBe(0);
          arena.write(ptr, bytes);
          held.push({ ptr, bytes });
          if (drop) arena.free(held.splice((i * 7) % held.length, 1)[0]!.ptr);
        });
        for (const { ptr, bytes } of held) expect(Buffer.compare(arena.read(ptr, bytes.length), bytes)).toBe(0);
        for (const { ptr } of held) arena.free(ptr);
        expect(arena.allocatedBytes).toBe(before);
      }),
      { numRuns: 60 },
    );
    const high = Array.from({ length: 200 }, () => {
      const ptr = arena.allocate(3_000_000);
      arena.free(ptr);
      return ptr;
    });
    expect(new Set(high).size).toBe(1);
  });

  test('scratch: big requests, nested marks, and long-lived blocks made in between', () => {
    const arena = createKernel({ build });
    const outer = arena.mark();
    const small = arena.scratchU32([1, 2]);
    const inner = arena.mark();
    const big = arena.scratch(5_000_000);
    const kept = arena.residentU32([5, ...Array<number>(24)]);
    arena.writeU32(u32ArrayIn(big, 4_999_992), [3, 4]);
    arena.release(inner);
    expect(arena.mark()).toBe(inner);
    expect([...arena.u32s(small, 0, 2), ...arena.u32s(kept, 0, 1)]).toEqual([1, 2, 5]);
    arena.release(outer);
    expect(arena.scratch(8)).toBe(small);
    arena.free(kept);
    expect(arena.allocatedBytes).toBe(0);
  });
});
