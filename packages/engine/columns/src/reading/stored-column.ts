import { type DocGroups, type ForwardColumn, type Kernel, type U32Array, u32ArrayIn } from '@fossick/kernel';
import { type EvictingMemory, type HeldMemory, HeldOnDemand } from '@fossick/kernel/memory';
import { type ColumnLayout, columnLayout, HEADER_BYTES, type SectionName } from '../bytes/column-format.js';
import { copyOfSpan, KernelBlock, type StoredBytes } from '../bytes/column-spans.js';

export type Side = 'numbers' | 'strings';

/** The sections of a stored column, each loaded into kernel memory on demand. */
export class StoredColumn {
  readonly kernel: Kernel;
  readonly memory: EvictingMemory;
  readonly bytes: StoredBytes;
  readonly layout: ColumnLayout;
  private readonly spans: HeldOnDemand<KernelBlock | HeldGroups>[] = [];
  private readonly lists = new Map<SectionName, HeldOnDemand<KernelBlock>>();

  constructor(kernel: Kernel, memory: EvictingMemory, bytes: StoredBytes) {
    this.kernel = kernel;
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
  span(first: SectionName, last: SectionName): HeldOnDemand<KernelBlock> {
    const span = new HeldOnDemand(this.memory, () => this.block(first, last));
    this.spans.push(span);
    return span;
  }

  /** A section as a block, the same for each call. */
  list(name: SectionName): HeldOnDemand<KernelBlock> {
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
      return new HeldGroups(this.block(offsets, docs), this.wordCount(offsets) - 1, docsAt);
    });
    this.spans.push(span);
    return span;
  }

  /** A block that the caller frees. */
  block(first: SectionName, last: SectionName): KernelBlock {
    return KernelBlock.of(this.kernel, this.bytes, this.layout[first].from, this.layout[last].to);
  }

  /** Frees its kernel memory. Only between views. */
  close(): void {
    for (const span of this.spans) span.drop();
  }
}

/** The groups of one side, in one block. */
export class HeldGroups implements HeldMemory, DocGroups {
  private readonly block: KernelBlock;
  readonly kind = 'columns';
  readonly byteCount: number;
  readonly count: number;
  readonly offsets: U32Array;
  readonly docs: U32Array;

  constructor(block: KernelBlock, count: number, docsAt: number) {
    this.block = block;
    this.byteCount = block.byteCount;
    this.count = count;
    this.offsets = u32ArrayIn(block.ptr, 0);
    this.docs = u32ArrayIn(block.ptr, docsAt);
  }

  free(): void {
    this.block.free();
  }
}

/** The groups of each document, with the block of docids that they are listed by, unless docids have no gaps. */
export class HeldForward implements HeldMemory {
  private readonly kernel: Kernel;
  private readonly docs: KernelBlock | null;
  readonly forward: ForwardColumn;
  readonly kind = 'columns';
  readonly byteCount: number;

  constructor(kernel: Kernel, docs: KernelBlock | null, forward: ForwardColumn) {
    this.kernel = kernel;
    this.docs = docs;
    this.forward = forward;
    this.byteCount = forward.byteCount + (docs?.byteCount ?? 0);
  }

  free(): void {
    this.kernel.memory.free(this.forward.ptr);
    this.docs?.free();
  }
}
