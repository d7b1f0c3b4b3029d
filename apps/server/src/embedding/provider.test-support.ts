import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a provider handles one request: returns the vectors, or answers itself. */
export type Behaviour = (texts: readonly string[], response: ServerResponse) => unknown;

/** A provider on a real local socket that counts its requests. */
export interface Provider {
  readonly url: string;
  /** Every received text, in order. */
  readonly texts: string[];
  requestCount: number;
  openMax: number;
  /** How often the last open request ended. */
  idleCount: number;
  /** Requests that were aborted before the answer. */
  brokenCount: number;
  behave: Behaviour;
  close(): Promise<void>;
}

/** Counts of letters: texts with the same letters have similar vectors. Numbers that are exact in 32 bits. */
export function vectorOf(text: string): number[] {
  const vector = [1, 0, 0, 0];
  for (const letter of text) vector[letter.charCodeAt(0) % 4]! += 1;
  return vector;
}

/** Answers `{vectors: [...]}` to `{texts: [...]}` after this many milliseconds. */
export async function startProvider(delayMs: number | (() => number) = 0): Promise<Provider> {
  let open = 0;
  const server = createServer((request, response) => {
    open += 1;
    provider.openMax = Math.max(provider.openMax, open);
    response.once('close', () => {
      open -= 1;
      if (open === 0) provider.idleCount += 1;
      if (!response.writableFinished) provider.brokenCount += 1;
    });
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', async () => {
      const { texts } = JSON.parse(Buffer.concat(pieces).toString('utf8')) as { texts: string | string[] };
      const list = Array.isArray(texts) ? texts : [texts];
      provider.requestCount += 1;
      provider.texts.push(...list);
      const pauseMs = typeof delayMs === 'number' ? delayMs : delayMs();
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      const result = provider.behave(list, response);
      if (result !== undefined && !response.writableEnded) response.end(JSON.stringify(result));
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const provider: Provider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/embed`,
    texts: [],
    requestCount: 0,
    openMax: 0,
    idleCount: 0,
    brokenCount: 0,
    behave: (texts) => ({ vectors: texts.map(vectorOf) }),
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
  return provider;
}

/** The settings of an embedder that uses it, for the field `title`. */
export function restEmbedder({ url }: Pick<Provider, 'url'>, more: object = {}): object {
  return {
    source: 'rest',
    url,
    request: { texts: ['{{text}}', '{{..}}'] },
    response: { vectors: ['{{embedding}}', '{{..}}'] },
    documentTemplate: '{{ doc.title }}',
    ...more,
  };
}
