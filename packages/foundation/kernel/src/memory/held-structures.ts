/** Structures in kernel memory as searches keep them. */
import type { MadeStructure, Structure, Structures } from '../shared/structures.js';
import type { HeldMemory, MemoryKind } from './search-memory.js';

/** A structure that searches keep. */
export class HeldStructure implements HeldMemory {
  readonly kind: MemoryKind;
  protected readonly structure: Structure;

  constructor(kind: MemoryKind, structure: Structure) {
    this.kind = kind;
    this.structure = structure;
  }

  get byteCount(): number {
    return this.structure.ownBytes;
  }

  use(): boolean {
    return this.structure.use();
  }

  isThere(): boolean {
    return this.structure.isThere();
  }

  free(): void {
    this.structure.free();
  }

  discard(): void {
    this.structure.discard();
  }
}

/** The structures of one holder, all of which it needs in a view or none. */
export class Pieces {
  private readonly structures: Structures;
  private readonly onGrowth: (bytes: number) => void;
  private readonly held: Structure[] = [];

  /** @param onGrowth is called with the change of the bytes of this thread, also when it is 0 because all threads have them */
  constructor(structures: Structures, onGrowth: (bytes: number) => void) {
    this.structures = structures;
    this.onGrowth = onGrowth;
  }

  /** The structure with this key, made now unless it is there; it stays until it is dropped. */
  load(key: string, make: () => MadeStructure): Structure {
    const structure = this.structures.load(key, make);
    this.held.push(structure);
    this.onGrowth(structure.ownBytes);
    return structure;
  }

  drop(structure: Structure): void {
    this.held.splice(this.held.indexOf(structure), 1);
    structure.free();
    this.onGrowth(-structure.ownBytes);
  }

  /** Drops all. */
  free(): void {
    for (const structure of this.held.splice(0)) {
      structure.free();
      this.onGrowth(-structure.ownBytes);
    }
  }

  /** Nobody will need them any more: what all threads share is freed, unless it is in use. */
  discard(): void {
    for (const structure of this.held.splice(0)) {
      structure.discard();
      this.onGrowth(-structure.ownBytes);
    }
  }

  /** Notes a use of all of them in the running search. False when one was evicted by another thread. */
  use(): boolean {
    for (const structure of this.held) if (!structure.use()) return false;
    return true;
  }

  /** Whether none was evicted by another thread so far. */
  isThere(): boolean {
    for (const structure of this.held) if (!structure.isThere()) return false;
    return true;
  }
}
