/**
 * Compares two keys as unsigned bytes, a prefix before its extensions: negative, zero or positive. O(shorter length)
 */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const difference = left[at]! - right[at]!;
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
