/** A document that a search rule puts at a fixed position. */
export interface Pin {
  /** 0-based. */
  readonly position: number;
}

/**
 * Ranks `from` to `from + length` of the organic hits with the pins inserted: each at its position, or at the end of
 * the list when it is shorter. O(from + length + pins log pins).
 * @param pins those of one position in the given order
 */
export function placePins<T>(organic: readonly T[], pins: readonly (T & Pin)[], from: number, length: number): T[] {
  const waiting = [...pins].sort((a, b) => a.position - b.position);
  const merged: T[] = [];
  let [nextPin, nextHit] = [0, 0];
  for (let rank = 0; rank < from + length; rank++) {
    const pin = waiting[nextPin];
    const isPinTurn = pin !== undefined && (pin.position <= rank || nextHit >= organic.length);
    const hit = isPinTurn ? pin : organic[nextHit];
    if (hit === undefined) break;
    if (isPinTurn) nextPin += 1;
    else nextHit += 1;
    if (rank >= from) merged.push(hit);
  }
  return merged;
}
