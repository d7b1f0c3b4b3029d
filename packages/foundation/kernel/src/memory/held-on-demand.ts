import type { HeldMemory, MemoryEntry, SearchMemory } from './search-memory.js';

/** The owner of memory that can be made again: evicts what was not used for the longest time. */
export type EvictingMemory = Pick<SearchMemory, 'hold' | 'touch' | 'drop'>;

/**
 * Memory that is made on demand, and made again after it was evicted; `null` stands for what does not exist, is not
 * counted and is not looked for again. The only holder of an entry of the memory.
 */
export class HeldOnDemand<Held extends HeldMemory | null> {
  private readonly memory: EvictingMemory;
  private readonly make: () => Held;
  private readonly onForgotten: (() => void) | undefined;
  private current: Held | undefined;
  private entry: MemoryEntry | undefined;

  /** @param onForgotten called when it was freed */
  constructor(memory: EvictingMemory, make: () => Held, onForgotten?: () => void) {
    this.memory = memory;
    this.make = make;
    this.onForgotten = onForgotten;
  }

  /** What is held, if it is there, as a use in the running search; valid until the view ends. */
  present(): Held | undefined {
    const { entry } = this;
    if (entry !== undefined && !this.memory.touch(entry)) this.memory.drop(entry); // another thread has evicted it
    return this.current;
  }

  /** What is held, made now unless it is there; valid until the view ends. Counts as a use in the running search. */
  load(): Held {
    const there = this.present();
    if (there !== undefined) return there;
    const made = this.make();
    this.current = made;
    if (made === null) return made;
    this.entry = this.memory.hold(made, () => {
      this.current = undefined;
      this.entry = undefined;
      this.onForgotten?.();
    });
    return made;
  }

  /** Whether `load` would make nothing. */
  get isLoaded(): boolean {
    return this.current !== undefined;
  }

  /** Frees it, if it is there, because nobody needs it any more, and forgets that there was none. Only between views. */
  drop(): void {
    if (this.entry !== undefined) this.memory.drop(this.entry, true);
    this.current = undefined;
  }
}

/** Memory that is made on demand by key. A key is forgotten with its memory. */
export class HeldByKey<Key, Held extends HeldMemory | null> {
  private readonly memory: EvictingMemory;
  private readonly byKey = new Map<Key, HeldOnDemand<Held>>();

  constructor(memory: EvictingMemory) {
    this.memory = memory;
  }

  has(key: Key): boolean {
    return this.byKey.has(key);
  }

  /** What is held for the key, as a use in the running search; undefined when nothing is. */
  use(key: Key): Held | undefined {
    return this.byKey.get(key)?.present();
  }

  /** What is held for the key, made now unless it is there. Counts as a use in the running search. */
  load(key: Key, make: () => Held): Held {
    const there = this.use(key);
    if (there !== undefined) return there;
    const held = new HeldOnDemand(this.memory, make, () => this.byKey.delete(key));
    const loaded = held.load(); // not kept when it fails
    this.byKey.set(key, held);
    return loaded;
  }

  /** Frees all of it. Only between views. */
  drop(): void {
    for (const held of [...this.byKey.values()]) held.drop();
    this.byKey.clear();
  }
}
