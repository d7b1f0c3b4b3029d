/** The engine in this process, as embedded by a program. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngineReader } from '@fossick/index';
import { openEngineWriter } from '@fossick/index/writer';
import { search } from '@fossick/search';
import { DEFAULT_SEARCH } from '@fossick/settings/parameters';

const INDEX = 'bench';
const SEARCH_BYTES = 256 << 20;

/** Searches one index of a database folder; nothing is written. */
export function openIndex(rootFolder, uid, maxSearchBytes = SEARCH_BYTES) {
  const reader = openEngineReader({ rootFolder, maxSearchBytes });
  return {
    search: (request) => reader.withView(uid, (view) => search(view, { ...DEFAULT_SEARCH, ...request })),
    inView: (use) => reader.withView(uid, use),
    close: () => reader.close(),
  };
}

/** An index in a folder of its own below the system's temporary one. */
export class EmbeddedIndex {
  folder = mkdtempSync(join(tmpdir(), 'fossick-bench-'));
  #reader;
  #writer;
  #context;

  constructor(maxIndexingBytes = 1 << 30) {
    this.#context = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes };
    this.open();
  }

  open() {
    const options = { rootFolder: join(this.folder, 'data'), maxSearchBytes: SEARCH_BYTES };
    this.#writer = openEngineWriter({ ...options, extractsInThread: true });
    this.#reader = openEngineReader(options);
  }

  async create(settings) {
    this.#writer.createIndex(INDEX, 'id');
    await this.#writer.applySettings(INDEX, [settings], this.#context);
  }

  async addFile(payloadFile) {
    const operation = {
      type: 'documentAdditionOrUpdate',
      method: 'replace',
      payloadFile,
      primaryKey: null,
      skipCreation: false,
    };
    await this.#writer.applyDocuments(INDEX, [operation], this.#context);
  }

  async addDocuments(documents) {
    const file = this.writePayload(documents);
    await this.addFile(file);
    rmSync(file);
  }

  /** Writes documents to a file for `addFile`, the same one each time. */
  writePayload(documents) {
    const file = join(this.folder, 'documents.ndjson');
    writeFileSync(file, documents.map((document) => JSON.stringify(document)).join('\n'));
    return file;
  }

  /** Returns whether anything was merged. */
  mergeOnce() {
    return this.#writer.mergeOnce(INDEX);
  }

  search(request) {
    return this.#reader.withView(INDEX, (view) => search(view, { ...DEFAULT_SEARCH, ...request }));
  }

  inView(use) {
    return this.#reader.withView(INDEX, use);
  }

  get stats() {
    const { diskBytes } = this.#reader.size();
    return { diskBytes, documentCount: this.#reader.stats(INDEX).numberOfDocuments };
  }

  /** Closes every handle; the files stay, for `open`. */
  async close() {
    await this.#reader.close();
    await this.#writer.close();
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
