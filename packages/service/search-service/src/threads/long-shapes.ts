import type { SearchJob } from '../jobs/search-jobs.js';
import { shapeOf } from './request-shape.js';

/** Shapes that are kept; the one that was long longest ago goes first. */
const SHAPES_MAX = 2_000;
/** Short runs in a thread after which such a job begins here again; twice as many each time that it was too long again. */
const FIRST_RUNS = 4;
const MOST_RUNS = 1_024;

interface LongShape {
  /** Short runs that are awaited in all, and those that are left. */
  readonly runs: number;
  left: number;
  /** How long the last run took at least, in milliseconds. */
  lastMs: number;
}

/** Shapes of jobs that took too long in the thread of requests: jobs like them begin in a search thread, until they are short there again and again. */
export class LongShapes {
  private readonly shapes = new Map<string, LongShape>();

  /** Whether jobs like this one begin in a search thread: those whose last run took less than `lastMs` do not. */
  has(job: SearchJob, lastMs = 0): boolean {
    const known = this.shapes.size === 0 ? undefined : this.shapes.get(shapeOf(job));
    return known !== undefined && known.left > 0 && known.lastMs >= lastMs;
  }

  /** The job took too long here: so many milliseconds, or more if it was dropped. */
  add(job: SearchJob, lastMs: number): void {
    const shape = shapeOf(job);
    const known = this.shapes.get(shape);
    const runs = known === undefined ? FIRST_RUNS : Math.min(MOST_RUNS, known.runs * 2);
    this.shapes.delete(shape);
    this.shapes.set(shape, { runs, left: runs, lastMs });
    if (this.shapes.size > SHAPES_MAX) this.shapes.delete(this.shapes.keys().next().value!);
  }

  /** A thread ran the job in so many milliseconds; `shortMs`: what counts as short. */
  note(job: SearchJob, lastMs: number, shortMs: number): void {
    const known = this.shapes.size === 0 ? undefined : this.shapes.get(shapeOf(job));
    if (known === undefined || known.left === 0) return;
    known.lastMs = lastMs;
    known.left = lastMs < shortMs ? known.left - 1 : known.runs;
  }
}
