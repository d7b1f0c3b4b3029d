/**
 * Threads of the servers within this process start from the published bundle that FOSSICK_TEST_COMMAND names, if it is set: a few files
 * are read instead of eight hundred, which is two thirds of the processor time of a start.
 */
import { existsSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { WorkerOptions } from 'node:worker_threads';

const command = process.env['FOSSICK_TEST_COMMAND'];
const threads = createRequire(import.meta.url)('node:worker_threads') as typeof import('node:worker_threads');
/** The module of a package that a thread loads, and its text in an address. */
const BUILT_MODULE = /^file:.*\/(?:packages|apps)\/.*\/dist\/.*\.js$/;

if (command !== undefined && threads.Worker.name !== 'BundledThread') {
  const folder = join(command, '../../dist');
  const inBundle = (url: string): string => {
    const file = join(folder, basename(url));
    return BUILT_MODULE.test(url) && existsSync(file) ? pathToFileURL(file).href : url;
  };
  /** Modules that a thread is told to load are part of what it starts with. */
  const replaced = (value: unknown): unknown => {
    if (typeof value === 'string') return inBundle(value);
    if (Array.isArray(value)) return value.map(replaced);
    if (
      Object.prototype.toString.call(value) !== '[object Object]' ||
      Object.getPrototypeOf(value) !== Object.prototype
    )
      return value;
    return Object.fromEntries(Object.entries(value as object).map(([name, member]) => [name, replaced(member)]));
  };
  threads.Worker = class BundledThread extends threads.Worker {
    constructor(script: string | URL, options: WorkerOptions = {}) {
      const isMoved = script instanceof URL && inBundle(script.href) !== script.href;
      super(
        isMoved ? new URL(inBundle(script.href)) : script,
        isMoved ? { ...options, workerData: replaced(options.workerData) } : options,
      );
    }
  };
  syncBuiltinESMExports();
}
