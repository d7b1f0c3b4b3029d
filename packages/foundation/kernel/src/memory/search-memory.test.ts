import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createKernel } from '../kernel.js';
import { MemoryBudget } from './memory-budget.js';
import { type HeldMemory, type MemoryEntry, type MemoryKind, SearchMemory } from './search-memory.js';

/** Something of this many bytes that tells when it was freed. */
class Piece implements HeldMemory {
  byteCount: number;
  readonly kind: MemoryKind;
  isFreed = false;

  constructor(byteCount: number, kind: MemoryKind = 'postings') {
    this.byteCount = byteCount;
    this.kind = kind;
  }

  free(): void {
    expect(this.isFreed).toBe(false);
    this.isFreed = true;
  }
}

/** Memory that may hold this many bytes outside of the kernel. */
function memoryOf(maxBytes: number): SearchMemory {
  return new SearchMemory(new MemoryBudget((maxBytes * 8) / 7), createKernel());
}

const ignore = (): void => undefined;

test('the least recently used entry is evicted first, and its owner is notified', () => {
  const memory = memoryOf(10);
  const gone: string[] = [];
  memory.begin();
  const first = memory.hold(new Piece(4), () => gone.push('first'));
  memory.hold(new Piece(4), () => gone.push('second'));
  memory.begin();
  memory.touch(first);
  memory.hold(new Piece(4), () => gone.push('third'));
  expect(gone).toEqual(['second']);
  expect(memory.heldBytes).toBe(8);
});

test('what the running search uses stays, whatever it takes', () => {
  const memory = memoryOf(10);
  memory.begin();
  const [used, made, old] = [new Piece(6), new Piece(30, 'columns'), new Piece(2)];
  const entry = memory.hold(used, ignore);
  memory.hold(old, ignore);
  memory.begin();
  memory.touch(entry);
  memory.hold(made, ignore);
  expect([used.isFreed, made.isFreed, old.isFreed]).toEqual([false, false, true]);
  expect(memory.evict(1)).toBe(false);
  expect(Object.fromEntries(memory.bytesByKind)).toEqual({ postings: 6, columns: 30 });
  memory.begin();
  expect([used.isFreed, made.isFreed]).toEqual([true, true]);
  expect(memory.heldBytes).toBe(0);
});

test('growth of one entry evicts others', () => {
  const memory = memoryOf(10);
  memory.begin();
  const idle = new Piece(5);
  memory.hold(idle, ignore);
  memory.begin();
  const growing = new Piece(3);
  memory.hold(growing, ignore);
  growing.byteCount += 3;
  memory.grow('postings', 3);
  expect(idle.isFreed).toBe(true);
  expect(memory.heldBytes).toBe(6);
});

interface Held {
  readonly piece: Piece;
  readonly entry: MemoryEntry;
  lastUse: number;
}

/** The slow model: every piece that is there, in the order of the first use in the last search that used it. */
test('held bytes and evictions are those of a plain list', () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('begin' as const) }),
      fc.record({ kind: fc.constant('hold' as const), bytes: fc.integer({ min: 0, max: 9 }) }),
      fc.record({ kind: fc.constant('touch' as const), at: fc.nat(20) }),
      fc.record({ kind: fc.constant('drop' as const), at: fc.nat(20) }),
      fc.record({ kind: fc.constant('grow' as const), at: fc.nat(20), bytes: fc.integer({ min: -3, max: 6 }) }),
    ),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, fc.integer({ min: 0, max: 40 }), (list, maxBytes) => {
      const memory = memoryOf(maxBytes);
      let held: Held[] = [];
      let search = 0;
      const total = (): number => held.reduce((sum, { piece }) => sum + piece.byteCount, 0);
      const trim = (): void => {
        while (total() > maxBytes && held[0]!.lastUse < search) held.shift();
      };
      for (const step of list) {
        const known = 'at' in step ? held[step.at % Math.max(1, held.length)] : undefined;
        if (step.kind === 'begin') {
          memory.begin();
          search += 1;
          trim();
        } else if (step.kind === 'hold') {
          const piece = new Piece(step.bytes);
          held.push({ piece, entry: memory.hold(piece, ignore), lastUse: search });
          trim();
        } else if (known === undefined) continue;
        else if (step.kind === 'drop') {
          memory.drop(known.entry);
          held = held.filter((one) => one !== known);
        } else {
          memory.touch(known.entry);
          // the first use of a search is the one that counts
          if (known.lastUse !== search) held = [...held.filter((one) => one !== known), known];
          known.lastUse = search;
          if (step.kind === 'touch') continue;
          const change = Math.max(step.bytes, -known.piece.byteCount);
          known.piece.byteCount += change;
          memory.grow('postings', change);
          if (change > 0) trim();
        }
        expect(memory.heldBytes).toBe(total());
        expect(held.some(({ piece }) => piece.isFreed)).toBe(false);
      }
    }),
    { seed: TEST_SEED },
  );
});

test("the kernel's limit is set when it changes, not with each search", () => {
  const kernel = createKernel();
  const told: number[] = [];
  kernel.memory.limit = (bytes) => told.push(bytes);
  const memory = new SearchMemory(new MemoryBudget(2 ** 27), kernel);
  for (let search = 0; search < 5; search++) {
    memory.begin();
    memory.settle();
  }
  expect(told.length).toBe(1);
  memory.grow('hits', 2 ** 20);
  memory.begin();
  memory.settle();
  expect(told).toEqual([told[0], told[0]! - 2 ** 20]);
});

test('searches use as much of their limit as the documents of the open indexes need', () => {
  const mib = 2 ** 20;
  const memory = memoryOf(2_000 * mib);
  memory.begin();
  const pieces = [new Piece(300 * mib), new Piece(300 * mib)];
  for (const piece of pieces) memory.hold(piece, ignore);
  // two million documents need more than one
  memory.expectDocuments(2_000_000);
  memory.begin();
  expect(memory.heldBytes).toBe(600 * mib);
  memory.expectDocuments(1_000_000);
  memory.begin();
  expect(pieces.map(({ isFreed }) => isFreed)).toEqual([true, false]);
  expect(memory.maxBytes).toBe(350 * mib);
});
