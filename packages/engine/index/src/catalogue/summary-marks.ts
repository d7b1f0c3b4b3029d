/** Which summaries of indexes have changed: the writer marks them in memory that all threads of the process share. */

/** Two indexes may share a mark, and then a change of one makes readers check the other once more. */
const MARK_COUNT = 2 ** 16;

/** Zeros; the thread that starts the others keeps it. */
export function newSummaryMarks(): SharedArrayBuffer {
  return new SharedArrayBuffer(MARK_COUNT * Int32Array.BYTES_PER_ELEMENT);
}

/** A counter for each index that increases with each of its commits. */
export class SummaryMarks {
  private readonly marks: Int32Array;

  constructor(buffer: SharedArrayBuffer) {
    this.marks = new Int32Array(buffer);
  }

  /** Called after every commit, once its summary is written. Writer only. */
  move(folder: string): void {
    Atomics.add(this.marks, slotOf(folder), 1);
  }

  /** Read it before reading the summary that it stands for. */
  of(folder: string): number {
    return Atomics.load(this.marks, slotOf(folder));
  }
}

/** FNV-1a of the name of a folder. */
function slotOf(folder: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < folder.length; at++) hash = Math.imul(hash ^ folder.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 16)) & (MARK_COUNT - 1);
}
