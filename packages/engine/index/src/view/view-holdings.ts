import type { HeldMemory, MemoryEntry, SearchMemory } from '@fossick/memory';

/** Memory held for one view of an index. It is freed with the view, or before when memory is short. */
export class ViewHoldings {
  private readonly memory: SearchMemory;
  private readonly entries = new Set<MemoryEntry>();

  constructor(memory: SearchMemory) {
    this.memory = memory;
  }

  /** As `SearchMemory.hold`, at most until the view ends. */
  hold(held: HeldMemory, forget: () => void): MemoryEntry {
    const entry = this.memory.hold(held, () => {
      this.entries.delete(entry);
      forget();
    });
    this.entries.add(entry);
    return entry;
  }

  /** Frees all of it. The view must not be in use. */
  drop(): void {
    for (const entry of [...this.entries]) this.memory.drop(entry);
  }
}
