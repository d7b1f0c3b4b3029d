import { UnsafeStoreError } from './port.js';

/** All bytes of an object that is known to be small. Throws RangeError for one of more than `bytesMax`. */
export async function bytesOf(body: Uint8Array | AsyncIterable<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > bytesMax) throw new RangeError(`an object has more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** Throws RangeError for keys that an object store need not take. */
export function checkKey(key: string): void {
  if (!/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(key) || key.length > 512) throw new RangeError(`no key: ${key}`);
}

/** Parses a small object that nodes wrote. */
export function jsonOf(bytes: Uint8Array, key: string): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown;
  } catch (error) {
    throw new UnsafeStoreError(`the object ${key} is not what was put there`, { cause: error });
  }
}
