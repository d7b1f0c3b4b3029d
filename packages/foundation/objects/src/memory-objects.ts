import { bytesOf, checkKey } from './object-bytes.js';
import { MissingStoreError, type ObjectInfo, type ObjectRange, type ObjectStore, type PutOptions } from './port.js';

/** Objects that live as long as the store. */
export class MemoryObjects implements ObjectStore {
  private readonly objects = new Map<string, Uint8Array>();

  async put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    { ifAbsent = false, requires }: PutOptions = {},
  ): Promise<'put' | 'exists'> {
    checkKey(key);
    // a copy: slice of a Buffer would be a view
    const bytes = new Uint8Array(await bytesOf(body, Number.POSITIVE_INFINITY));
    if (requires !== undefined && !this.objects.has(requires))
      throw new MissingStoreError(`the object ${requires} is gone`);
    if (ifAbsent && this.objects.has(key)) return 'exists';
    this.objects.set(key, bytes);
    return 'put';
  }

  async get(key: string, range?: ObjectRange): Promise<AsyncIterable<Uint8Array> | null> {
    checkKey(key);
    const bytes = this.objects.get(key);
    return bytes === undefined ? null : once(bytes.slice(range?.start, range?.end));
  }

  async *list(prefix: string, after = ''): AsyncGenerator<ObjectInfo> {
    for (const key of [...this.objects.keys()].sort(compareKeys)) {
      const bytes = this.objects.get(key);
      if (bytes !== undefined && key.startsWith(prefix) && key > after) yield { key, bytes: bytes.length };
    }
  }

  async delete(key: string): Promise<void> {
    checkKey(key);
    this.objects.delete(key);
  }
}

/** Keys are ASCII, whose order as text is that of its bytes. */
export function compareKeys(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
