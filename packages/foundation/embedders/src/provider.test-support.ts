import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as the test provider received it. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the client sent; tests compare it as a whole
  readonly body: any;
}
/** Answers one request; the returned value is sent as JSON unless it has answered itself. */
export type Answer = (request: SeenRequest, response: ServerResponse, attempt: number) => unknown;

export interface TestProvider {
  readonly url: string;
  readonly seen: SeenRequest[];
  /** The most requests that were open at once. */
  readonly openMax: () => number;
  close(): Promise<void>;
}

/** A provider on a real local socket with the answers of a test. */
export async function startProvider(answer: Answer): Promise<TestProvider> {
  const seen: SeenRequest[] = [];
  let open = 0;
  let openMax = 0;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    open += 1;
    openMax = Math.max(openMax, open);
    response.once('close', () => {
      open -= 1;
    });
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', async () => {
      const one = {
        path: request.url ?? '',
        headers: request.headers,
        body: JSON.parse(Buffer.concat(pieces).toString('utf8')),
      };
      seen.push(one);
      const result = await answer(one, response, seen.length);
      if (result !== undefined && !response.writableEnded) response.end(JSON.stringify(result));
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    openMax: () => openMax,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

/** A vector of two numbers that identifies its text. */
export const vectorOf = (text: string): number[] => [text.length, text.codePointAt(0) ?? 0];
export const texts = (...given: string[]): { kind: 'text'; text: string }[] =>
  given.map((text) => ({ kind: 'text', text }));
