/** Keeps the indexes of an engine between two visits of a page. */
export interface Keeper {
  /** What was kept last; undefined the first time. */
  read(): Promise<Uint8Array | undefined>;
  /** Keeps the state after a change: soon, and once for several changes. */
  changed(bytesOf: () => Promise<Uint8Array>): void;
  /** Resolves when everything is kept. @throws what writing failed with */
  close(): Promise<void>;
}

/** Where bytes are kept: each write replaces all or nothing. */
interface Place {
  read(): Promise<Uint8Array | undefined>;
  write(bytes: Uint8Array): Promise<void>;
}

/** Changes within this time are kept by one write, in milliseconds. */
const DELAY_MS = 200;

/** Opens the place with a name. @throws Error where the platform lacks it */
export async function openKeeper(keep: { readonly in: 'opfs' | 'indexedDB'; readonly name: string }): Promise<Keeper> {
  const place = keep.in === 'opfs' ? await privateFile(keep.name) : await databaseRow(keep.name);
  return new DelayedKeeper(place);
}

class DelayedKeeper implements Keeper {
  private readonly place: Place;
  private bytesOf: (() => Promise<Uint8Array>) | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private writing: Promise<void> = Promise.resolve();
  private fault: unknown;

  constructor(place: Place) {
    this.place = place;
  }

  read(): Promise<Uint8Array | undefined> {
    return this.place.read();
  }

  changed(bytesOf: () => Promise<Uint8Array>): void {
    this.bytesOf = bytesOf;
    this.timer ??= setTimeout(() => this.write(), DELAY_MS);
  }

  async close(): Promise<void> {
    this.write();
    await this.writing;
    if (this.fault !== undefined) throw this.fault;
  }

  private write(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { bytesOf } = this;
    if (bytesOf === undefined) return;
    this.bytesOf = undefined;
    this.writing = this.writing
      .then(async () => this.place.write(await bytesOf()))
      .then(
        () => {
          this.fault = undefined;
        },
        (error: unknown) => {
          this.fault = error;
        },
      );
  }
}

/** A file of the origin's private file system. A stream replaces the file when it is closed. */
async function privateFile(name: string): Promise<Place> {
  const folder = await navigator.storage.getDirectory();
  const file = `${encodeURIComponent(name)}.fossick`;
  return {
    async read() {
      try {
        const handle = await folder.getFileHandle(file);
        return new Uint8Array(await (await handle.getFile()).arrayBuffer());
      } catch (error) {
        if (error instanceof DOMException && error.name === 'NotFoundError') return undefined;
        throw error;
      }
    },
    async write(bytes) {
      const handle = await folder.getFileHandle(file, { create: true });
      const stream = await handle.createWritable();
      await stream.write(bytes as Uint8Array<ArrayBuffer>);
      await stream.close();
    },
  };
}

const TABLE = 'indexes';

/** A row of a database, written in a transaction. */
async function databaseRow(name: string): Promise<Place> {
  const request = indexedDB.open(`fossick ${name}`, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(TABLE);
  const database = await resultOf(request);
  return {
    read: () => resultOf<Uint8Array | undefined>(database.transaction(TABLE).objectStore(TABLE).get('all')),
    write: (bytes) =>
      new Promise((resolve, reject) => {
        const transaction = database.transaction(TABLE, 'readwrite');
        transaction.objectStore(TABLE).put(bytes, 'all');
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error ?? new Error('the database aborted the write'));
      }),
  };
}

function resultOf<R>(request: IDBRequest<R>): Promise<R> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the database cannot be read'));
  });
}
