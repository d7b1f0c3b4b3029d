import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** An address that takes what is posted to it. */
export interface Receiver {
  readonly url: string;
  /** The bodies so far. */
  text(): string;
  close(): void;
}

export async function startReceiver(): Promise<Receiver> {
  let text = '';
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    text += gunzipSync(Buffer.concat(parts)).toString();
    response.end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return { url, text: () => text, close: () => server.close() };
}
