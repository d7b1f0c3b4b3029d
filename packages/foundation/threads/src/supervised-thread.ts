import { type ThreadStart, WatchedThread } from './watched-thread.js';

export interface SupervisedThreadOptions<Report> {
  /** Called for each start: messages with ports cannot be sent twice. */
  readonly start: () => ThreadStart<Report>;
  /** The pause before the first restart in milliseconds, twice as long each consecutive time. */
  readonly pauseMs: number;
  readonly pauseMsMax: number;
  /** The thread has ended by itself, and starts again after `pauseMs`. */
  readonly onLost: (pauseMs: number) => void;
}

/** A thread that is started again when it ends by itself. */
export class SupervisedThread<Command, Report = never> {
  private readonly options: SupervisedThreadOptions<Report>;
  private thread: WatchedThread<Command, Report> | undefined;
  private restart: NodeJS.Timeout | undefined;
  private lossCount = 0;
  private isStopping = false;
  private isHeld: boolean;

  /** It is not running until `begin`. `holdsProcess`: as in ThreadStart, and while it waits for a restart. */
  constructor(options: SupervisedThreadOptions<Report>, holdsProcess = true) {
    this.options = options;
    this.isHeld = holdsProcess;
  }

  /** Whether the thread is running now. */
  get isRunning(): boolean {
    return this.thread !== undefined;
  }

  begin(): void {
    const start = this.options.start();
    this.thread = new WatchedThread<Command, Report>({
      ...start,
      holdsProcess: this.isHeld,
      onEnd: () => {
        this.thread = undefined;
        start.onEnd?.();
        this.startAgain();
      },
    });
  }

  /** Nothing is sent while no thread is running. */
  send(command: Command, transfer: Parameters<WatchedThread<Command>['send']>[1] = []): void {
    this.thread?.send(command, transfer);
  }

  /** The thread works: the next restart is the first again. */
  proveWell(): void {
    this.lossCount = 0;
  }

  holdProcess(isHeld: boolean): void {
    this.isHeld = isHeld;
    this.thread?.holdProcess(isHeld);
    if (isHeld) this.restart?.ref();
    else this.restart?.unref();
  }

  /** It starts no more. */
  forgo(): void {
    this.isStopping = true;
    clearTimeout(this.restart);
  }

  /** Resolves when the thread has ended, which `ask` has to bring about; it is not called where no thread is running. */
  async stop(ask: () => void): Promise<void> {
    this.forgo();
    const { thread } = this;
    if (thread === undefined) return;
    thread.holdProcess(true);
    ask();
    await thread.ended;
  }

  terminate(): void {
    this.thread?.terminate();
  }

  private startAgain(): void {
    if (this.isStopping) return;
    const { pauseMs, pauseMsMax, onLost } = this.options;
    const waitMs = Math.min(pauseMs * 2 ** this.lossCount, pauseMsMax);
    this.lossCount += 1;
    onLost(waitMs);
    this.restart = setTimeout(() => this.begin(), waitMs);
    if (!this.isHeld) this.restart.unref();
  }
}
