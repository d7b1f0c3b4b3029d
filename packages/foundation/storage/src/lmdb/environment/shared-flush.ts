/** Part of lmdb-js that its type declarations omit: flushes the file in a thread of the pool. */
interface Syncs {
  sync(done: (error?: Error) => void): void;
}

/** lmdb-js passes on the words of an error of a flush, without its number. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^input\/output error/i, 'EIO'],
  [/^no space left on device/i, 'ENOSPC'],
];

function named(error: Error): Error {
  const code = WORDS.find(([words]) => words.test(error.message))?.[1];
  return code === undefined ? error : Object.assign(error, { code, message: `${code}: ${error.message}` });
}

/**
 * Flushes of one environment. A running flush may have begun before the commit that a caller wants flushed, so the
 * caller waits for the next one, and all callers until then share it.
 */
export class SharedFlush {
  private running: Promise<void> | undefined;
  private next: Promise<void> | undefined;
  private readonly root: Syncs;

  constructor(root: object) {
    this.root = root as Syncs;
  }

  /** Resolves once every commit before the call is on disk; rejects with the system's error. */
  flush(): Promise<void> {
    if (this.running === undefined) return this.begin();
    this.next ??= this.running.then(
      () => this.begin(),
      () => this.begin(),
    );
    return this.next;
  }

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Resolves when no flush is running: the environment may be closed. */
  async idle(): Promise<void> {
    while (this.running !== undefined) await this.running.catch(() => undefined);
  }

  private begin(): Promise<void> {
    this.next = undefined;
    const running = new Promise<void>((resolve, reject) => {
      this.root.sync((error) => (error === undefined ? resolve() : reject(named(error))));
    }).finally(() => {
      if (this.running === running) this.running = undefined;
    });
    this.running = running;
    return running;
  }
}
