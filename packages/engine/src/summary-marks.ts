/** Which summaries of indexes have changed, told by the writer to the other threads of the process in memory that they share. */

/** Indexes share marks where there are more: what changes one then makes the others be looked at once more. */
const MARK_COUNT = 2 ** 16;

/** Zeros; whoever starts the threads keeps it. */
export function newSummaryMarks(): SharedArrayBuffer {
  return new SharedArrayBuffer(MARK_COUNT * Int32Array.BYTES_PER_ELEMENT);
}

/** A number for each index that moves with each of its commits. */
export class SummaryMarks {
  private readonly marks: Int32Array;

  constructor(buffer: SharedArrayBuffer) {
    this.marks = new Int32Array(buffer);
  }

  /** To be called behind every commit, once its summary is there. Writer only. */
  move(folder: string): void {
    Atomics.add(this.marks, placeOf(folder), 1);
  }

  /** To be read before what it is to stand for. */
  of(folder: string): number {
    return Atomics.load(this.marks, placeOf(folder));
  }
}

/** FNV-1a of the name of a folder. */
function placeOf(folder: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < folder.length; at++) hash = Math.imul(hash ^ folder.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 16)) & (MARK_COUNT - 1);
}
