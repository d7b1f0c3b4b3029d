import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, it } from 'vitest';
import { copyFolders } from '../e2e/dumping-server.test-support.js';
import {
  newDatabaseFolder,
  pause,
  removeFolder,
  type TestServer,
  type WireAnswer,
} from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';

export const MASTER_KEY = 'a-master-key-of-more-than-16-bytes';
/** RFC 3339, as answers write it. */
export const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
/** ISO 8601 duration. */
export const DURATION = /^PT(\d+H)?(\d+M)?\d+(\.\d+)?S$/;
// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field, and every look is an assertion
export type Loose = any;

/** A server for one part of the checks. */
export class Walked {
  server!: TestServer;
  readonly folder = newDatabaseFolder();

  async start(options: readonly string[] = []): Promise<void> {
    const copies = copyFolders(this.folder);
    this.server = await startTestServer(`${this.folder}/data`, ['--master-key', MASTER_KEY, ...copies, ...options]);
  }
  /** Sends a request with the master key, or with another one; `null` sends none. */
  call(method: string, path: string, body?: unknown, key: string | null = MASTER_KEY): Promise<WireAnswer<Loose>> {
    const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
    // a string alone is JSON as well
    if (typeof body !== 'string') return this.server.call(method, path, body, headers);
    return this.server.call(method, path, JSON.stringify(body), { ...headers, 'content-type': 'application/json' });
  }
  /** Sends a write and returns its task when it is done. */
  async done(method: string, path: string, body?: unknown, key = MASTER_KEY): Promise<Loose> {
    const { body: summary, status } = await this.call(method, path, body, key);
    if (summary?.taskUid === undefined) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(summary)}`);
    return this.task(summary.taskUid);
  }
  /** The task when it is done. */
  async task(uid: number): Promise<Loose> {
    for (;;) {
      const { body } = await this.call('GET', `/tasks/${uid}`);
      if (body.finishedAt !== null) return body;
      await pause(5);
    }
  }
  async stop(): Promise<void> {
    await this.server.stop();
    removeFolder(this.folder);
  }
}

/** Starts one server before the statements of a file and stops it after them. */
export function walked(prepare: (walk: Walked) => Promise<void>, options: readonly string[] = []): Walked {
  const walk = new Walked();
  beforeAll(async () => {
    await walk.start(options);
    await prepare(walk);
  });
  afterAll(() => walk.stop());
  return walk;
}

type Says = (statement: string, run: () => Promise<void>) => void;

/**
 * A part of 00-base.md: the returned function takes one of its statements and the test of it. `awaited` marks
 * statements that do not hold yet.
 */
export function part(name: string): Says & { readonly awaited: Says } {
  const says: Says = (statement, run) => {
    it(`${name}: ${statement}`, run);
  };
  return Object.assign(says, { awaited: ((statement, run) => it.skip(`${name}: ${statement}`, run)) as Says });
}
/** The parts of the specification that the tests of a folder walk, and how many statements of each. */
export function walkedParts(folder: string): Map<string, number> {
  const parts = new Map<string, number>();
  for (const file of readdirSync(folder)) {
    if (!file.endsWith('.test.ts') || file === 'walk.test.ts') continue;
    const text = readFileSync(join(folder, file), 'utf8');
    for (const [, name, title] of text.matchAll(/^const (\w+) = part\('([^']+)'\)/gm)) {
      const calls = [...text.matchAll(new RegExp(`^ *${name!}(?:\\.awaited)?\\((?:['\`])`, 'gm'))];
      parts.set(title!, (parts.get(title!) ?? 0) + calls.length);
    }
  }
  return parts;
}
