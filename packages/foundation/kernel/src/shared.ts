/** Kernel memory that several threads share. */
import { KernelLostError } from './fault.js';
import { HostCalls, instantiateShared, type SharedBuild } from './instance.js';
import { Kernel } from './kernel.js';
import { MemoryView } from './memory-view.js';
import { Directory } from './shared/directory.js';
import { type SharedKernel, threadHasEnded } from './shared/shared-memory.js';

export {
  newSharedKernelMemory,
  SHARING_THREADS_MAX,
  type SharedKernel,
  type SharedKernelMemory,
  threadHasEnded,
} from './shared/shared-memory.js';

/** Bytes that are copied at a time; a row of posting lists has fewer. */
const STAGE_BYTES = 8_192;
/** Shorter copies take as long either way. */
const STAGED_FROM = 512;
/** Bytes of a word of a copy. */
const WORD_BYTES = 8;

/**
 * A kernel over a memory that several threads share. What an earlier thread of its number had for itself is freed.
 * @param build `sharedChecked` traps on broken contracts
 * @throws KernelLostError, WebAssembly.RuntimeError when the memory is lost (`threadHasEnded`)
 */
export function createSharedKernel(shared: SharedKernel, build: SharedBuild = 'shared'): Kernel {
  // an earlier call of this thread may have trapped while it changed the memory
  if (!threadHasEnded(shared, shared.thread)) throw new KernelLostError();
  const calls = new HostCalls();
  const exports = instantiateShared(shared, calls, build);
  return new Kernel(exports, calls, {
    view: new SharedMemoryView(exports, exports.memory),
    directoryOf: (memory, own) => new Directory(shared, exports, memory, own),
  });
}

/**
 * The view of a memory that threads share. V8 copies into such a memory word by word if source and target are at the same offset of a word, and byte by
 * byte if not. To copy the bytes to that offset in memory of this thread first takes half as long.
 */
class SharedMemoryView extends MemoryView {
  private readonly stage = new Uint8Array(STAGE_BYTES + WORD_BYTES);

  override put(bytes: Uint8Array, to: number): void {
    const { u8, stage } = this;
    const shift = to % WORD_BYTES;
    if (bytes.length < STAGED_FROM || bytes.byteOffset % WORD_BYTES === shift) {
      u8.set(bytes, to);
      return;
    }
    for (let at = 0; at < bytes.length; at += STAGE_BYTES) {
      const piece = bytes.subarray(at, at + STAGE_BYTES);
      stage.set(piece, shift);
      u8.set(stage.subarray(shift, shift + piece.length), to + at);
    }
  }
}
