/** Part of lmdb-js that its type declarations leave out: flushes the file in a thread of the pool. */
interface Syncs {
  sync(done: (error?: Error) => void): void;
}

/**
 * Flushes of one environment. A flush that runs may have begun before a commit that asks for one, so the next is asked for; whoever comes
 * until then shares it.
 */
export class SharedFlush {
  private running: Promise<void> | undefined;
  private next: Promise<void> | undefined;
  private readonly root: Syncs;

  constructor(root: object) {
    this.root = root as Syncs;
  }

  /** Resolves once all that was committed before the call is on the disk; rejects with what the system says. */
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

  /** Resolves when no flush runs any more: the environment may be closed. */
  async idle(): Promise<void> {
    while (this.running !== undefined) await this.running.catch(() => undefined);
  }

  private begin(): Promise<void> {
    this.next = undefined;
    const running = new Promise<void>((resolve, reject) => {
      this.root.sync((error) => (error === undefined ? resolve() : reject(error)));
    }).finally(() => {
      if (this.running === running) this.running = undefined;
    });
    this.running = running;
    return running;
  }
}
