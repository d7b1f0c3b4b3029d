import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ChangeSet, renameDurably, type Snapshot, type Store, type WriteTransaction } from '@fossick/storage';
import { applyChanges } from '@fossick/storage/changes';
import { CATALOGUE_TABLE, Catalogue, INSTANCE_STORE } from '../catalogue/catalogue.js';
import { markUnnamed, REMOVED_SUFFIX, UNFINISHED_SUFFIX } from '../catalogue/index-folders.js';
import type { OpenEngineOptions } from '../port.js';

/**
 * Changes the indexes of a root folder as another node's writer has changed its own: by the change sets of its commits.
 * Only one thread at a time may have changes to make, this one or that of a writer; any number of readers see them.
 */
export class IndexFollower {
  private readonly rootFolder: string;
  private readonly catalogue: Catalogue;
  /** Folders whose stores are being read for long, and whether they are to be removed then. */
  private readonly held = new Map<string, { isRemoved: boolean }>();
  /** Stores with commits that a power cut may undo. */
  private readonly unflushed = new Set<string>();

  constructor(options: Pick<OpenEngineOptions, 'rootFolder' | 'summaryMarks'>) {
    this.rootFolder = options.rootFolder;
    this.catalogue = new Catalogue(options);
  }

  /** The store of the list of indexes, or of a folder; valid until another one is requested. Undefined when missing. */
  store(name: string): Store | undefined {
    if (name === INSTANCE_STORE) return this.catalogue.instanceStore;
    return existsSync(join(this.catalogue.path(name), 'data.mdb')) ? this.catalogue.store(name) : undefined;
  }

  /** Folders that the list of indexes names. */
  folders(): string[] {
    return [...this.catalogue.folders()].map(({ folder }) => folder);
  }

  /**
   * Repeats one commit of a store, which is created when it is missing, and what `mark` writes with it. Folders that the
   * list of indexes does not name any more are removed. Survives a power cut after the next `flush`. O(changes)
   */
  async apply(name: string, changes: ChangeSet, mark: (txn: WriteTransaction) => void): Promise<void> {
    const isOfList = name === INSTANCE_STORE;
    if (!isOfList && this.store(name) === undefined) markUnnamed(this.catalogue.path(name));
    const before = new Set(isOfList ? this.folders() : []);
    const changed = isOfList ? this.changedFolders(changes) : [];
    for (const folder of changed) this.catalogue.abandon(folder);
    const store = isOfList ? this.catalogue.instanceStore : this.catalogue.store(name);
    this.unflushed.add(name);
    store.transaction((txn) => {
      applyChanges(txn, changes);
      mark(txn);
    }, 'later');
    if (!isOfList) return this.catalogue.summarise(name);
    const after = new Set(this.folders());
    for (const folder of after) if (!before.has(folder) || changed.includes(folder)) this.catalogue.noteNamed(folder);
    for (const folder of before) if (!after.has(folder)) await this.remove(folder);
  }

  /** Folders of the indexes whose rows change: those of them that have no index afterwards are removed. */
  private changedFolders(changes: ChangeSet): string[] {
    return changes.flatMap((change) => {
      if (change.table !== CATALOGUE_TABLE || !('key' in change)) return [];
      const entry = this.catalogue.entry(Buffer.from(change.key).toString('utf8'));
      return entry === undefined ? [] : [entry.folder];
    });
  }

  /** Copies the store of a folder, as it is now, to a new folder. Does nothing when the new one is there. O(bytes) */
  async copy(from: string, to: string): Promise<void> {
    const target = this.catalogue.path(to);
    if (existsSync(join(target, 'data.mdb'))) return;
    const unfinished = `${target}${UNFINISHED_SUFFIX}`;
    rmSync(unfinished, { recursive: true, force: true });
    await this.catalogue.store(from).copyTo(unfinished);
    markUnnamed(unfinished);
    renameDurably(unfinished, target);
    this.catalogue.summarise(to);
  }

  /**
   * Removes the folders that were made and that the list of indexes does not name: no writer is going to name them any
   * more. A list that has never named an index is no reason to keep them, because the log says what it names.
   */
  sweep(): void {
    this.catalogue.removeUnnamed();
  }

  /** Resolves when every commit before the call survives a power cut. */
  async flush(): Promise<void> {
    const names = [...this.unflushed];
    this.unflushed.clear();
    for (const name of names) await this.store(name)?.flush();
  }

  /**
   * Runs `work` over one commit of a store, however long it takes and whatever is applied meanwhile; a folder that is
   * removed meanwhile stays until then. Undefined when there is no such store.
   */
  async read<T>(name: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T | undefined> {
    const store = this.store(name);
    if (store === undefined) return undefined;
    const held = { isRemoved: false };
    this.held.set(name, held);
    try {
      return await store.snapshot(work);
    } finally {
      this.held.delete(name);
      if (held.isRemoved) await this.remove(name);
    }
  }

  /** Names of all folders that are there, also of those that the list of indexes does not name yet. */
  allFolders(): string[] {
    const names = readdirSync(join(this.rootFolder, 'indexes'));
    return names.filter((name) => !name.endsWith(UNFINISHED_SUFFIX) && !name.endsWith(REMOVED_SUFFIX));
  }

  private async remove(folder: string): Promise<void> {
    this.unflushed.delete(folder);
    const held = this.held.get(folder);
    if (held !== undefined) {
      held.isRemoved = true;
      return;
    }
    await this.catalogue.forget(folder);
    this.catalogue.remove(folder);
  }

  async close(): Promise<void> {
    await this.catalogue.close();
  }
}
