import type { HourCounts } from '../counts/hour-counts.js';
import { isComplete } from '../counts/tally.js';
import { HOUR_MS, hourOf } from '../records/record-log.js';
import { hourDocuments } from './hour-documents.js';
import type { AnalyticsIndex } from './port.js';

/** Interval at which the counts of the running hour are stored; each replaces the last. */
export const PUBLISH_MS = 600_000;
/** Share of the bytes at which the oldest hours are deleted, and the share of hours that is. */
const FULL_SHARE = 0.75;
const DELETED_SHARE = 0.25;
/** The most bytes of the index that one byte of documents becomes while they are indexed and merged. */
const INDEX_GROWTH = 20;

export interface PublisherOptions {
  readonly index: AnalyticsIndex;
  /** Hours of the counts that wait, ascending; empty while records of an earlier process are read. */
  readonly hours: () => readonly HourCounts[];
  /** Called once an hour that is over is stored. */
  readonly onStored: (hour: number) => void;
  /** Names the documents of this process's node. */
  readonly node: string;
  /** For which hours are kept. */
  readonly keptMs: number;
  /** Of the index. */
  readonly bytesMax: number;
  readonly periodMs?: number;
  readonly onFault: (error: unknown) => void;
}

/** Stores the counts of hours as documents, and deletes the oldest when they are too old or take too much space. */
export class HourPublisher {
  private readonly options: PublisherOptions;
  private readonly waiting = new Map<number, { readonly hour: number; readonly isOver: boolean }>();
  /** Requests of each hour when it was stored last. */
  private readonly storedRequests = new Map<number, number>();
  /** Hours that are over and were tried once; they are tried again after each period. */
  private readonly tried = new Set<number>();
  private lastMs: number;
  private isBusy = false;
  /** Times that counts were not stored for lack of space, since the start. */
  refused = 0;

  constructor(options: PublisherOptions, nowMs: number) {
    this.options = options;
    this.lastMs = nowMs;
  }

  /** Called each second. Resolves when its tasks are registered. */
  async tick(nowMs: number): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      this.settle();
      await this.publish(nowMs, nowMs - this.lastMs >= (this.options.periodMs ?? PUBLISH_MS));
    } catch (error) {
      this.options.onFault(error);
      // tried again after a period
      this.lastMs = nowMs;
    } finally {
      this.isBusy = false;
    }
  }

  private settle(): void {
    for (const [task, { hour, isOver }] of this.waiting) {
      const isDone = this.options.index.outcome(task);
      if (isDone === null) continue;
      this.waiting.delete(task);
      if (!isDone) this.storedRequests.delete(hour);
      else if (isOver) {
        this.storedRequests.delete(hour);
        this.tried.delete(hour);
        this.options.onStored(hour);
      }
    }
  }

  private async publish(nowMs: number, isDue: boolean): Promise<void> {
    const { index, hours, node } = this.options;
    const isHeld = (hour: number): boolean => [...this.waiting.values()].some((each) => each.hour === hour);
    const due = hours().filter((counts) => {
      if (isHeld(counts.hour)) return false;
      if (isComplete(counts.hour, nowMs)) return isDue || !this.tried.has(counts.hour);
      return isDue && requestsOf(counts) !== this.storedRequests.get(counts.hour);
    });
    if (isDue) this.lastMs = nowMs;
    if (due.length === 0) return;
    await this.makeSpace(nowMs);
    for (const counts of due) {
      const { hour } = counts;
      const isOver = isComplete(hour, nowMs);
      if (isOver) this.tried.add(hour);
      const documents = hourDocuments(counts, node);
      if (!this.hasSpace(documents)) {
        this.refused += 1;
        continue;
      }
      this.storedRequests.set(hour, requestsOf(counts));
      this.waiting.set(await index.put(documents), { hour, isOver });
    }
  }

  /** The bound holds whatever the counts are: what might exceed it is not written. */
  private hasSpace(documents: readonly object[]): boolean {
    const { index, bytesMax } = this.options;
    return index.bytes() + JSON.stringify(documents).length * INDEX_GROWTH <= bytesMax;
  }

  private async makeSpace(nowMs: number): Promise<void> {
    const { index, keptMs, bytesMax } = this.options;
    const [oldest] = await index.rows({ filter: 'hour >= 0', sort: ['hour:asc'], limit: 1 });
    if (oldest === undefined) return;
    const keptFrom = hourOf(nowMs - keptMs);
    const isFull = index.bytes() > bytesMax * FULL_SHARE;
    const hourCount = (hourOf(nowMs) - oldest.hour) / (HOUR_MS / 1000);
    const fullFrom = oldest.hour + Math.max(1, Math.ceil(hourCount * DELETED_SHARE)) * (HOUR_MS / 1000);
    const from = Math.max(keptFrom, isFull ? fullFrom : 0);
    if (oldest.hour < from) await index.remove(`hour < ${from}`);
    if (isFull) await index.compact();
  }
}

const requestsOf = ({ indexes }: HourCounts): number =>
  [...indexes.values()].reduce((sum, { requests, clicks, conversions }) => sum + requests + clicks + conversions, 0);
