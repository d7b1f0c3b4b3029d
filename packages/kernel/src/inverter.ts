import { RECORD_BYTES } from './layout.js';
import type { KernelExports, MemoryView } from './memory.js';
import type { Inverter } from './port.js';

const FIRST_WINDOW_RECORDS = 1024;
const WINDOW_RECORDS_MAX = 65536;
/** What encoding will need for each record besides: its sorted occurrence (8 bytes). */
const SORT_BYTES = 8;

/**
 * Writes records straight into windows of kernel memory, so that adding one costs three stores. `heldBytes` counts the windows and the room
 * that sorting them will take, so a caller who keeps within a budget keeps within it while encoding too.
 */
export class WasmInverter implements Inverter {
  readonly #exports: KernelExports;
  readonly #memory: MemoryView;
  readonly #inverter: number;
  /** The view of the whole memory that `#at` and `#end` index. */
  #u32: Uint32Array = new Uint32Array(0);
  #windowAt = 0;
  #at = 0;
  #end = 0;
  #windowRecords = 0;
  #heldBytes = 0;
  #isSorted = false;

  constructor(exports: KernelExports, memory: MemoryView) {
    this.#exports = exports;
    this.#memory = memory;
    this.#inverter = exports['inverterNew']!() >>> 0;
  }

  add(termId: number, docId: number, key: number): void {
    // A view detached by growth has length 0: the test covers both a full window and a stale view.
    if (this.#at === this.#end || this.#u32.length === 0) this.#refresh();
    const u32 = this.#u32;
    const at = this.#at;
    u32[at] = termId;
    u32[at + 1] = docId;
    u32[at + 2] = key;
    this.#at = at + 3;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  encode(order: Uint32Array): { readonly postings: Uint8Array; readonly offsets: Uint32Array } {
    if (!this.#isSorted) {
      this.#exports['inverterClose']!(this.#inverter, this.#recordsInWindow());
      this.#exports['inverterSort']!(this.#inverter);
      this.#isSorted = true;
      this.#u32 = new Uint32Array(0);
    }
    const mark = this.#memory.mark();
    const orderAt = this.#memory.scratch(order.length * 4);
    const offsetsAt = this.#memory.scratch(order.length * 4 + 4);
    this.#memory.u32.set(order, orderAt >>> 2);
    const listsAt = this.#exports['inverterEncode']!(this.#inverter, orderAt, order.length, offsetsAt) >>> 0;
    const offsets = this.#memory.u32.slice(offsetsAt >>> 2, (offsetsAt >>> 2) + order.length + 1);
    const postings = this.#memory.u8.slice(listsAt, listsAt + offsets[order.length]!);
    this.#memory.release(mark);
    return { postings, offsets };
  }

  reset(): void {
    this.#exports['inverterReset']!(this.#inverter);
    this.#windowAt = 0;
    this.#at = 0;
    this.#end = 0;
    this.#windowRecords = 0;
    this.#heldBytes = 0;
    this.#isSorted = false;
  }

  #recordsInWindow(): number {
    return ((this.#at - this.#windowAt) * 4) / RECORD_BYTES;
  }

  #refresh(): void {
    if (this.#isSorted) throw new Error('add after encode: reset the inverter first');
    if (this.#at === this.#end) {
      const records = Math.min(Math.max(FIRST_WINDOW_RECORDS, this.#windowRecords * 2), WINDOW_RECORDS_MAX);
      const at = this.#exports['inverterWindow']!(this.#inverter, this.#recordsInWindow(), records) >>> 0;
      this.#windowRecords = records;
      this.#heldBytes += records * (RECORD_BYTES + SORT_BYTES) + 32;
      this.#windowAt = at >>> 2;
      this.#at = this.#windowAt;
      this.#end = this.#windowAt + (records * RECORD_BYTES) / 4;
    }
    this.#u32 = this.#memory.u32;
  }
}
