import { expect } from 'vitest';
import type { ServerProcess } from '../e2e/server-process.test-support.js';
import { expectShortWaits } from './probe.test-support.js';

/** A request that once held up the others. */
export interface Row {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  /** Made when its turn comes: some take tens of megabytes. */
  readonly body: () => unknown;
  readonly headers?: Record<string, string>;
  /** Statuses that may be answered. */
  readonly statuses: readonly number[];
}

export const many = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));

/** Expects that a search and /health are answered while the request of a row is under way, and that it gets one of its statuses. */
export async function expectHarmless(server: ServerProcess, row: Row): Promise<void> {
  await expectShortWaits(server, async () => {
    const go = await prepared(server, row);
    return async () => {
      const status = await go();
      expect(row.statuses, `status ${status}`).toContain(status);
    };
  });
}

/** The request is sent from a process of its own: to make and send its body would hold up the probe, which is here. */
async function prepared(server: ServerProcess, row: Row): Promise<() => Promise<number>> {
  const { startSender } = await import('./sender.test-support.js');
  const body = row.body();
  const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const headers = row.headers ?? { 'content-type': 'application/json' };
  return startSender(server.url + row.path, row.method ?? 'POST', text, headers);
}
