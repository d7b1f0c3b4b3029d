import { type EvictingMemory, type HeldMemory, HeldOnDemand } from '@fossick/kernel/memory';

/** Memory held for one view of an index. It is freed with the view, or before when memory is short. */
export class ViewHoldings {
  private readonly memory: EvictingMemory;
  private readonly held = new Set<HeldOnDemand<HeldMemory>>();

  constructor(memory: EvictingMemory) {
    this.memory = memory;
  }

  /** Memory that is made on demand, at most until the view ends. */
  onDemand<Held extends HeldMemory>(make: () => Held): HeldOnDemand<Held> {
    const held = new HeldOnDemand(this.memory, make);
    this.held.add(held);
    return held;
  }

  /** Frees all of it. The view must not be in use. */
  drop(): void {
    for (const held of this.held) held.drop();
    this.held.clear();
  }
}
