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
}

/** Shapes of jobs that took too long in the thread of requests: jobs like them begin in a search thread, until they are short there again and again. */
export class LongShapes {
  private readonly shapes = new Map<string, LongShape>();

  /** Whether jobs like this one begin in a search thread. */
  has(job: SearchJob): boolean {
    return this.shapes.size > 0 && (this.shapes.get(shapeOf(job))?.left ?? 0) > 0;
  }

  /** The job took too long here. */
  add(job: SearchJob): void {
    const shape = shapeOf(job);
    const known = this.shapes.get(shape);
    const runs = known === undefined ? FIRST_RUNS : Math.min(MOST_RUNS, known.runs * 2);
    this.shapes.delete(shape);
    this.shapes.set(shape, { runs, left: runs });
    if (this.shapes.size > SHAPES_MAX) this.shapes.delete(this.shapes.keys().next().value!);
  }

  /** The job was run by a thread. */
  note(job: SearchJob, wasShort: boolean): void {
    const known = this.shapes.size === 0 ? undefined : this.shapes.get(shapeOf(job));
    if (known === undefined || known.left === 0) return;
    known.left = wasShort ? known.left - 1 : known.runs;
  }
}
