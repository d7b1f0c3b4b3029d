// Reading the keys of a posting list one by one.

/** Where the key read last ends. */
export let keyEnd: usize = 0;

/** Reads a key or a difference of keys, at most 5 bytes; its end is left in a global. */
// @ts-ignore: decorator
@inline export function readKey(p: usize): u32 {
  const byte = <u32>load<u8>(p);
  if (byte < 128) {
    keyEnd = p + 1;
    return byte;
  }
  return readLongKey(p + 1, byte & 127);
}

function readLongKey(p: usize, low: u32): u32 {
  let at = p;
  let value = low;
  let shift: u32 = 7;
  let byte: u32;
  do {
    byte = load<u8>(at++);
    value |= (byte & 127) << shift;
    shift += 7;
  } while (byte >= 128);
  keyEnd = at;
  return value;
}
