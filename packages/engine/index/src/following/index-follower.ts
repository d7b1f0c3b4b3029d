import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ChangeSet, renameDurably, type Store, type WriteTransaction } from '@fossick/storage';
import { applyChanges } from '@fossick/storage/changes';
import { Catalogue, INSTANCE_STORE } from '../catalogue/catalogue.js';
import type { OpenEngineOptions } from '../port.js';

/** Ends the name of a copy that is not complete; a sweep removes it. */
const UNFINISHED = '.copying';

/**
 * Changes the indexes of a root folder as another node's writer has changed its own: by the change sets of its commits.
 * Only one thread at a time may have changes to make, this one or that of a writer; any number of readers see them.
 */
export class IndexFollower {
  private readonly rootFolder: string;
  private readonly catalogue: Catalogue;
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
    const before = isOfList ? this.folders() : [];
    const store = isOfList ? this.catalogue.instanceStore : this.catalogue.store(name);
    this.unflushed.add(name);
    store.transaction((txn) => {
      applyChanges(txn, changes);
      mark(txn);
    }, 'later');
    if (!isOfList) return this.catalogue.summarise(name);
    const after = new Set(this.folders());
    for (const folder of before) if (!after.has(folder)) await this.remove(folder);
  }

  /** Copies the store of a folder, as it is now, to a new folder. Does nothing when the new one is there. O(bytes) */
  async copy(from: string, to: string): Promise<void> {
    const target = this.catalogue.path(to);
    if (existsSync(join(target, 'data.mdb'))) return;
    const unfinished = `${target}${UNFINISHED}`;
    rmSync(unfinished, { recursive: true, force: true });
    await this.catalogue.store(from).copyTo(unfinished);
    renameDurably(unfinished, target);
    this.catalogue.summarise(to);
  }

  /** Removes the folders that the list of indexes does not name: no writer is going to name them any more. */
  sweep(): void {
    this.catalogue.sweep();
  }

  /** Resolves when every commit before the call survives a power cut. */
  async flush(): Promise<void> {
    const names = [...this.unflushed];
    this.unflushed.clear();
    for (const name of names) await this.store(name)?.flush();
  }

  /** Notes that a writer of this process has changed a store. */
  noteCommit(name: string): void {
    this.unflushed.add(name);
  }

  async remove(folder: string): Promise<void> {
    this.unflushed.delete(folder);
    await this.catalogue.forget(folder);
    this.catalogue.remove(folder);
  }

  /** Where the store of a name is, for a checkpoint that replaces it while nothing has it open. */
  pathOf(name: string): string {
    return name === INSTANCE_STORE ? join(this.rootFolder, INSTANCE_STORE) : this.catalogue.path(name);
  }

  async close(): Promise<void> {
    await this.catalogue.close();
  }
}
