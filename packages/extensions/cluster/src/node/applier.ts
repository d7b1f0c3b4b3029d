import type { AcceptedEntry, DataRecord } from '@fossick/replication';
import { decodeChanges } from '@fossick/storage/changes';
import { BASE, CheckpointNeededError } from '../records/base-record.js';
import { COMMIT, COPY, decodeCommit, decodeCopy } from '../records/commit-record.js';
import { type LargeBodies, LostBodyError, type NamedBody } from '../records/large-bodies.js';
import { hasReached, type Place, placeOf, putPlace } from '../records/place.js';
import type { NodeStores, StoreRecord } from './node-stores.js';
import type { OpenCommit, WriterBridge } from './writer-bridge.js';

/** Between two requests to a store of objects that does not answer, in milliseconds. */
const RETRY_MS = 50;
const RETRY_MS_MAX = 2_000;

/** A record of a kind that this release does not know. */
class UnknownRecordError extends Error {}

/** What an entry has changed here. */
export interface AppliedEntry {
  readonly position: number;
  /** Names of its records. */
  readonly names: ReadonlySet<string>;
}

export interface ApplierOptions {
  readonly stores: NodeStores;
  readonly bodies: LargeBodies;
  /** The bridge of the writer of this node, while it has one. */
  readonly bridge: () => WriterBridge | undefined;
  readonly isEnding: () => boolean;
  readonly pause: (delayMs: number) => Promise<void>;
}

/**
 * Applies the entries of the log to the stores of a node. Each store knows its place in the log, so an entry may be
 * applied any number of times.
 */
export class Applier {
  private readonly options: ApplierOptions;
  private running: Promise<unknown> = Promise.resolve();

  constructor(options: ApplierOptions) {
    this.options = options;
  }

  apply(entry: AcceptedEntry): Promise<AppliedEntry> {
    const applied = this.applyEntry(entry);
    this.running = applied.catch(() => undefined);
    return applied;
  }

  /** Resolves when nothing is being applied. */
  async idle(): Promise<void> {
    await this.running;
  }

  private async applyEntry({ position, records }: AcceptedEntry): Promise<AppliedEntry> {
    const { stores } = this.options;
    const names = new Set<string>();
    const ofTasks: StoreRecord[] = [];
    const ofValues: StoreRecord[] = [];
    for (const [index, { record, effect }] of records.entries()) {
      if (effect.kind !== 'applied') continue;
      if (record.kind !== 'data') this.options.bridge()?.fence();
      if (record.kind === 'lead') {
        await this.settled();
        stores.indexes.sweep();
      }
      if (record.kind !== 'data') continue;
      const place = { position, count: index + 1 };
      const name = await this.applyData(record, place, ofTasks, ofValues);
      if (name !== undefined) names.add(name);
    }
    const place = { position, count: records.length };
    if (ofTasks.length > 0) stores.applyTasks(ofTasks, place);
    if (ofValues.length > 0) stores.applyValues(ofValues, place);
    return { position, names };
  }

  /** Does a commit of this node that its writer could not. */
  async redo({ store, changes, place }: OpenCommit): Promise<void> {
    await this.applyCommit(store, changes, place);
  }

  private async applyData(
    record: DataRecord,
    place: Place,
    ofTasks: StoreRecord[],
    ofValues: StoreRecord[],
  ): Promise<string | undefined> {
    if (this.options.bridge()?.takes(record.opId, place) === true) return COMMIT;
    const { name, body } = await this.loaded(record);
    switch (name) {
      case 'tasks':
      case 'task-changes':
        ofTasks.push({ name, body, opId: record.opId });
        break;
      case 'values':
        ofValues.push({ name, body, opId: record.opId });
        break;
      case COMMIT: {
        const { store, changes } = decodeCommit(body);
        await this.settled();
        await this.applyCommit(store, changes, place);
        break;
      }
      case COPY: {
        const { from, to } = decodeCopy(body);
        // on the node that wrote the record the copy is there already
        await this.options.stores.indexes.copy(from, to);
        break;
      }
      case BASE:
        throw new CheckpointNeededError(place.position);
      default:
        throw new UnknownRecordError(`the log has a record \`${name}\` at ${place.position}: a newer release wrote it`);
    }
    return name;
  }

  /** The whole record. While the store of objects does not answer, the node waits: nothing after it can be applied. */
  private async loaded(record: DataRecord): Promise<NamedBody> {
    const { bodies, pause, isEnding } = this.options;
    for (let delayMs = RETRY_MS; ; delayMs = Math.min(delayMs * 2, RETRY_MS_MAX)) {
      try {
        return await bodies.loaded(record);
      } catch (error) {
        if (error instanceof LostBodyError || error instanceof RangeError || isEnding()) throw error;
      }
      await pause(delayMs);
    }
  }

  private async applyCommit(store: string, changes: Uint8Array, place: Place): Promise<void> {
    const { indexes } = this.options.stores;
    if (hasReached(placeOf(indexes.store(store)), place)) return;
    await indexes.apply(store, decodeChanges(changes), (txn) => putPlace(txn, place));
  }

  /** A commit of this node's writer may be on its way into its store: later ones of others come after it. */
  private async settled(): Promise<void> {
    await this.options.bridge()?.settled();
  }
}
