/** Room for the answer that this thread writes: who runs the work gives it, and who writes takes it before the memory. */

/** Throws where there is no room for so many bytes more. */
export type AnswerRoom = (byteCount: number) => void;

let room: AnswerRoom | undefined;

/** Runs synchronous work that writes an answer. @throws what `given` throws */
export function withAnswerRoom<T>(given: AnswerRoom, work: () => T): T {
  const outer = room;
  room = given;
  try {
    return work();
  } finally {
    room = outer;
  }
}

/** To be called before so many bytes more of an answer are kept. */
export function takeAnswerRoom(byteCount: number): void {
  room?.(byteCount);
}
