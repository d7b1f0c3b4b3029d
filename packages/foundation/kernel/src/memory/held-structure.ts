import type { Structure } from '../shared/structures.js';
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
