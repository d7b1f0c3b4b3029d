import { describe, expect, it } from 'vitest';
import { TrimmedError } from '../log-errors.js';
import type { CommitLog } from '../port.js';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const MANY = 1 << 20;

/** What every log must do. `open` returns a new, empty log, and connections of other nodes to it by `again`. */
export function describeCommitLog(
  name: string,
  open: () => Promise<{
    readonly log: CommitLog;
    readonly again: () => Promise<CommitLog>;
    readonly close?: () => Promise<void>;
  }>,
): void {
  const within =
    (work: (log: CommitLog, other: CommitLog) => Promise<void>): (() => Promise<void>) =>
    async () => {
      const { log, again, close } = await open();
      const other = await again();
      try {
        await work(log, other);
      } finally {
        await log.close();
        await other.close();
        await close?.();
      }
    };
  const fill = async (log: CommitLog, from: number, to: number): Promise<void> => {
    for (let position = from; position <= to; position++) {
      expect(await log.append(position, bytes(position, 1))).toBe('appended');
    }
  };
  const positions = async (log: CommitLog, from: number): Promise<number[]> => {
    const found: number[] = [];
    for (;;) {
      const entries = await log.read(from + found.length, MANY);
      if (entries.length === 0) return found;
      for (const { position, bytes: body } of entries) {
        expect([...body]).toEqual([position, 1]);
        found.push(position);
      }
    }
  };
  const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, at) => at + first);

  describe(`the log ${name}`, () => {
    it(
      'is empty at first, and has what was appended, for every node',
      within(async (log, other) => {
        expect(await log.read(1, MANY)).toEqual([]);
        await fill(log, 1, 3);
        await fill(other, 4, 25);
        expect(await positions(log, 1)).toEqual(upTo(25));
        expect(await positions(other, 1)).toEqual(upTo(25));
        expect(await positions(other, 20)).toEqual(upTo(25, 20));
        expect(await log.read(26, MANY)).toEqual([]);
      }),
    );

    it(
      'gives each position one entry',
      within(async (log, other) => {
        expect(await log.append(1, bytes(1, 1))).toBe('appended');
        expect(await other.append(1, bytes(9, 9))).toBe('taken');
        expect(await log.append(1, bytes(1, 1))).toBe('taken');
        expect(await positions(log, 1)).toEqual([1]);
      }),
    );

    it(
      'lets one of many nodes have a position',
      within(async (log, other) => {
        for (let position = 1; position <= 10; position++) {
          const outcomes = await Promise.all(
            upTo(16).map((node) => (node % 2 === 0 ? log : other).append(position, bytes(position, node))),
          );
          const winners = upTo(16).filter((node) => outcomes[node - 1] === 'appended');
          expect(winners).toHaveLength(1);
          expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(15);
          const [first] = await other.read(position, MANY);
          expect(first).toMatchObject({ position });
          expect([...first!.bytes]).toEqual([position, winners[0]]);
        }
      }),
    );

    it(
      'reads as many entries as were asked for by their bytes, and one in any case',
      within(async (log) => {
        for (let position = 1; position <= 6; position++)
          await log.append(position, new Uint8Array(1_000).fill(position));
        const lengths = await Promise.all([1, 1_000, 2_500].map(async (max) => (await log.read(2, max)).length));
        expect(lengths).toEqual([1, 1, 2]);
        expect((await log.read(2, MANY)).length).toBeGreaterThan(0);
      }),
    );

    it(
      'keeps entries of every size',
      within(async (log, other) => {
        const sizes = [1, 100, 70_000, 5_000_000];
        for (const [at, size] of sizes.entries()) {
          expect(await log.append(at + 1, new Uint8Array(size).fill(at + 1))).toBe('appended');
        }
        for (const [at, size] of sizes.entries()) {
          const [first] = await other.read(at + 1, 1);
          expect(Buffer.compare(first!.bytes, new Uint8Array(size).fill(at + 1))).toBe(0);
        }
      }),
    );

    it(
      'has no entry below its floor any more, for reading or appending',
      within(async (log, other) => {
        await fill(log, 1, 10);
        expect(await positions(other, 1)).toEqual(upTo(10));
        await log.trim(7);
        for (const node of [log, other]) {
          await expect(node.read(6, MANY)).rejects.toThrow(TrimmedError);
          await expect(node.read(1, MANY)).rejects.toMatchObject({ floor: 7 });
          await expect(node.append(3, bytes(3, 3))).rejects.toThrow(TrimmedError);
          expect(await positions(node, 7)).toEqual(upTo(10, 7));
        }
        await fill(other, 11, 12);
        expect(await positions(log, 7)).toEqual(upTo(12, 7));
      }),
    );

    it(
      'never lowers its floor, no matter which node trims',
      within(async (log, other) => {
        await fill(log, 1, 10);
        await log.trim(8);
        await other.trim(5);
        await expect(other.read(7, MANY)).rejects.toThrow(TrimmedError);
        await Promise.all([log.trim(9), other.trim(11), log.trim(10)]);
        await expect(log.read(10, MANY)).rejects.toMatchObject({ floor: 11 });
        expect(await other.read(11, MANY)).toEqual([]);
        await fill(other, 11, 12);
        expect(await positions(log, 11)).toEqual([11, 12]);
      }),
    );

    it(
      'shows the last beat to every node',
      within(async (log, other) => {
        expect(await other.lastBeat()).toBeNull();
        await log.beat({ node: 'a', epoch: 1, count: 1 });
        expect(await other.lastBeat()).toEqual({ node: 'a', epoch: 1, count: 1 });
        await other.beat({ node: 'b', epoch: 2, count: 1 });
        expect(await log.lastBeat()).toEqual({ node: 'b', epoch: 2, count: 1 });
      }),
    );

    it(
      'stops watching when it is told to',
      within(async (log) => {
        let count = 0;
        const watching = log.watch(1, () => {
          count += 1;
        });
        await fill(log, 1, 2);
        watching[Symbol.dispose]();
        const before = count;
        await fill(log, 3, 4);
        await new Promise((resolve) => setTimeout(resolve, 20));
        expect(count).toBe(before);
      }),
    );
  });
}
