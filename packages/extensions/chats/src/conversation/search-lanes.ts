import { type ResultOf, runJob, type SearchContext, type SearchJob } from '@fossick/search-service';

/** Runs a limited number of jobs at the same time, first come, first served. */
export class Lane {
  private readonly width: number;
  private readonly waiting: (() => void)[] = [];
  private runningCount = 0;

  constructor(width: number) {
    this.width = Math.max(1, width);
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.runningCount < this.width) this.runningCount++;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      // the slot is passed on, so that no later arrival takes it
      const next = this.waiting.shift();
      if (next === undefined) this.runningCount--;
      else next();
    }
  }
}

/**
 * Limits concurrent searches of conversations, before the queue of all searches: otherwise a person's search would be
 * one among hundreds.
 */
export class SearchLanes {
  private readonly context: SearchContext;
  private readonly here = new Lane(1);
  /** One search thread is left to others if there are several. */
  private readonly threads: Lane;

  constructor(context: SearchContext, searchThreadCount: number) {
    this.context = context;
    this.threads = new Lane(searchThreadCount - 1);
  }

  /** @throws ApiError */
  run<J extends SearchJob>(job: J): Promise<ResultOf<J['kind']>> {
    const lane = this.context.searchers.takes(job) ? this.threads : this.here;
    return lane.run(() => runJob(this.context, job));
  }
}
