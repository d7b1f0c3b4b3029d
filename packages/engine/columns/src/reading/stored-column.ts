import {
  type ColumnByDocument,
  type DocGroups,
  type ForwardColumn,
  type Kernel,
  type MadeStructure,
  type Structure,
  type Structures,
  type U32Array,
  u32ArrayIn,
} from '@fossick/kernel';
import { type EvictingMemory, HeldOnDemand } from '@fossick/kernel/memory';
import { type ColumnLayout, columnLayout, HEADER_BYTES, type SectionName } from '../bytes/column-format.js';
import { ColumnStructure, copyOfSpan, madeSpan, type StoredBytes } from '../bytes/column-spans.js';

export type Side = 'numbers' | 'strings';

/** The sections of a stored column, each loaded into kernel memory on demand. */
export class StoredColumn {
  readonly kernel: Kernel;
  readonly memory: EvictingMemory;
  readonly bytes: StoredBytes;
  readonly layout: ColumnLayout;
  readonly structures: Structures;
  private readonly spans: HeldOnDemand<ColumnStructure>[] = [];
  private readonly lists = new Map<SectionName, HeldOnDemand<ColumnStructure>>();

  constructor(kernel: Kernel, memory: EvictingMemory, bytes: StoredBytes, structures: Structures) {
    this.kernel = kernel;
    this.structures = structures;
    this.memory = memory;
    this.bytes = bytes;
    this.layout = columnLayout(new Uint32Array(copyOfSpan(bytes, 0, HEADER_BYTES).buffer));
  }

  /** The length of a section in words of four bytes. */
  wordCount(name: SectionName): number {
    return (this.layout[name].to - this.layout[name].from) / 4;
  }

  /** A word read from the store; 0 outside of the section. */
  word(name: SectionName, index: number): number {
    if (index < 0 || index >= this.wordCount(name)) return 0;
    const from = this.layout[name].from + index * 4;
    return new Uint32Array(copyOfSpan(this.bytes, from, from + 4).buffer)[0]!;
  }

  /** Consecutive sections as one block. */
  span(first: SectionName, last: SectionName): HeldOnDemand<ColumnStructure> {
    const span = new HeldOnDemand(this.memory, () => new ColumnStructure(this.load(first, last)));
    this.spans.push(span);
    return span;
  }

  /** A section as a block, the same for each call. */
  list(name: SectionName): HeldOnDemand<ColumnStructure> {
    let held = this.lists.get(name);
    if (held === undefined) {
      held = this.span(name, name);
      this.lists.set(name, held);
    }
    return held;
  }

  /** Two consecutive sections as groups of documents. */
  groups(offsets: 'numberOffsets' | 'stringOffsets', docs: 'numberDocs' | 'stringDocs'): HeldOnDemand<HeldGroups> {
    const span = new HeldOnDemand(this.memory, () => {
      const docsAt = this.layout[docs].from - this.layout[offsets].from;
      return new HeldGroups(this.load(offsets, docs), this.wordCount(offsets) - 1, docsAt);
    });
    this.spans.push(span);
    return span;
  }

  /** Copies sections to kernel memory. The caller frees the block. */
  made(first: SectionName, last: SectionName): MadeStructure {
    return madeSpan(this.kernel, this.bytes, this.layout[first].from, this.layout[last].to);
  }

  private load(first: SectionName, last: SectionName): Structure {
    return this.structures.load(`${first}:${last}`, () => this.made(first, last));
  }

  /** Frees its kernel memory. Only between views. */
  close(): void {
    for (const span of this.spans) span.drop();
  }
}

/** The groups of one side, in one block. */
export class HeldGroups extends ColumnStructure implements DocGroups {
  readonly count: number;
  readonly offsets: U32Array;
  readonly docs: U32Array;

  constructor(structure: Structure, count: number, docsAt: number) {
    super(structure);
    this.count = count;
    this.offsets = u32ArrayIn(this.ptr, 0);
    this.docs = u32ArrayIn(this.ptr, docsAt);
  }
}

/** The groups of each document, with the block of docids that they are listed by, unless docids have no gaps. */
export class HeldForward extends ColumnStructure {
  readonly forward: ForwardColumn;

  constructor(structure: Structure) {
    super(structure);
    const [numberCount, groupCount, byteCount] = structure.numbers as readonly [number, number, number];
    this.forward = { ptr: structure.blocks[0] as ColumnByDocument, byteCount, numberCount, groupCount };
  }
}

/** The structure of a forward column, given the block of docids that it refers to. */
export function madeForward(forward: ForwardColumn, docs: MadeStructure | null): MadeStructure {
  const { ptr, byteCount, numberCount, groupCount } = forward;
  return {
    blocks: [ptr, ...(docs?.blocks ?? [])],
    numbers: [numberCount, groupCount, byteCount],
    byteCount: byteCount + (docs?.byteCount ?? 0),
  };
}
