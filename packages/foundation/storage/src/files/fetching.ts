import { joinedBytes } from '@fossick/base';
import { DamagedFile } from './file-format.js';

/** The part of `fetch` that is used here. */
export type Fetch = (
  address: string | URL,
  init?: { readonly headers?: Record<string, string>; readonly cache?: 'no-cache' },
) => Promise<{
  readonly ok: boolean;
  readonly status: number;
  readonly body: ReadableStream<Uint8Array> | null;
}>;

/**
 * The bytes at an address; without `cache` in the way that the runtime has by itself, which some cannot be asked for by its name.
 * @throws DamagedFile when there is no file, or one of more than `maxBytes`
 */
export async function fetched(
  fetchWith: Fetch,
  address: string | URL,
  maxBytes: number,
  cache?: 'no-cache',
): Promise<Uint8Array> {
  const answer = await fetchWith(address, cache === undefined ? {} : { cache });
  if (!answer.ok) throw new DamagedFile(String(address), `the server answers with status ${answer.status}`);
  return bodyOf(answer.body, maxBytes, String(address));
}

/**
 * Bytes [from, to) of a file of `fileBytes`. A server that ignores ranges sends the whole file: `isWhole` is then true.
 * @throws DamagedFile for anything else than exactly these bytes
 */
export async function fetchedRange(
  fetchWith: Fetch,
  address: string | URL,
  { from, to, fileBytes }: { readonly from: number; readonly to: number; readonly fileBytes: number },
): Promise<{ readonly bytes: Uint8Array; readonly isWhole: boolean }> {
  const isAsked = from > 0 || to < fileBytes;
  const headers: Record<string, string> = isAsked ? { range: `bytes=${from}-${to - 1}` } : {};
  const answer = await fetchWith(address, { headers });
  if (!answer.ok) throw new DamagedFile(String(address), `the server answers with status ${answer.status}`);
  const isWhole = answer.status !== 206;
  const wanted = isWhole ? fileBytes : to - from;
  const bytes = await bodyOf(answer.body, wanted, String(address));
  if (bytes.length !== wanted)
    throw new DamagedFile(String(address), `${bytes.length} bytes came instead of ${wanted}`);
  return { bytes, isWhole };
}

async function bodyOf(body: ReadableStream<Uint8Array> | null, maxBytes: number, file: string): Promise<Uint8Array> {
  if (body === null) return new Uint8Array(0);
  const reader = body.getReader();
  const pieces: Uint8Array[] = [];
  let byteCount = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    byteCount += value.length;
    if (byteCount > maxBytes) {
      await reader.cancel();
      throw new DamagedFile(file, `it has more than ${maxBytes} bytes`);
    }
    pieces.push(value);
  }
  return pieces.length === 1 ? pieces[0]! : joinedBytes(pieces);
}
