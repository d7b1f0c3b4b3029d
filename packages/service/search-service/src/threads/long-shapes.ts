import { isWarmUp, type SearchJob } from '../jobs/search-jobs.js';

/** Members of a job that are looked at; what follows changes its shape no more. */
const MEMBERS_MAX = 400;
/** Items of a list that are looked at. */
const ITEMS_MAX = 8;
/** Words of a query that are counted. */
const WORDS_MAX = 8;
/** Powers of two. */
const sizeClass = (size: number): number => 32 - Math.clz32(Math.min(Math.abs(size), 2 ** 31));

/** Shapes that are kept; the one that was long longest ago goes first. */
const SHAPES_MAX = 2_000;
/**
 * Short runs in a thread after which such a job begins here again; twice as many each time that it was too long again. After as many short runs here the shape is
 * forgotten: a job that is too long now and then costs less here than all that are like it cost in a thread.
 */
const FIRST_RUNS = 4;
const MOST_RUNS = 1_024;

interface LongShape {
  /** Short runs that are awaited in all, and those that are left; below 0: short runs since it begins here again. */
  readonly runs: number;
  left: number;
  /** How long the last run took at least, in milliseconds. */
  lastMs: number;
}

/**
 * Shapes of jobs that took too long in the thread of requests: jobs like them begin in a search thread, until they are short there again and again. Those of the warm-up
 * say nothing: their code is not compiled.
 */
export class LongShapes {
  private readonly shapes = new Map<string, LongShape>();

  /** Whether jobs like this one begin in a search thread: those whose last run took less than `lastMs` do not. */
  has(job: SearchJob, lastMs = 0): boolean {
    const known = this.known(job);
    return known !== undefined && known.left > 0 && known.lastMs >= lastMs;
  }

  /** The job took too long here: so many milliseconds, or more if it was dropped. */
  add(job: SearchJob, lastMs: number): void {
    if (isWarmUp(job)) return;
    const shape = shapeOf(job);
    const known = this.shapes.get(shape);
    const runs = known === undefined ? FIRST_RUNS : Math.min(MOST_RUNS, known.runs * 2);
    this.shapes.delete(shape);
    this.shapes.set(shape, { runs, left: runs, lastMs });
    if (this.shapes.size > SHAPES_MAX) this.shapes.delete(this.shapes.keys().next().value!);
  }

  /** The job took so many milliseconds, in a thread or here; `shortMs`: what counts as short. */
  note(job: SearchJob, lastMs: number, shortMs: number): void {
    const known = this.known(job);
    if (known === undefined || isWarmUp(job)) return;
    known.lastMs = lastMs;
    if (lastMs < shortMs) known.left -= 1;
    else if (known.left > 0) known.left = known.runs;
    if (known.left <= -known.runs) this.shapes.delete(shapeOf(job));
  }

  private known(job: SearchJob): LongShape | undefined {
    return this.shapes.size === 0 ? undefined : this.shapes.get(shapeOf(job));
  }
}

/**
 * What a job has in common with others that take about as long: its kind, its indexes and which members it has, with the size of their values instead of the
 * values. O(MEMBERS_MAX)
 */
export function shapeOf(job: SearchJob): string {
  let left = MEMBERS_MAX;
  return shape(job.kind, job);

  function shape(name: string, value: unknown): string {
    left -= 1;
    if (value === null || value === undefined || left < 0) return '';
    if (typeof value === 'string') {
      if (name === 'indexUid' || name === 'kind') return JSON.stringify(value);
      const words = name === 'q' ? `w${Math.min(WORDS_MAX, value.split(' ', WORDS_MAX).length)}` : '';
      return `${words}s${sizeClass(value.length)}`;
    }
    // numbers of a list say nothing
    if (typeof value === 'number') return name === '' ? 'n' : `n${sizeClass(value)}`;
    if (typeof value !== 'object') return String(value).slice(0, 1);
    if (ArrayBuffer.isView(value)) return `b${sizeClass(value.byteLength)}`;
    if (value instanceof Map || value instanceof Set) return shape(name, [...value]);
    if (Array.isArray(value))
      return `[${sizeClass(value.length)}:${value.slice(0, ITEMS_MAX).map((item) => shape('', item))}]`;
    const members = Object.entries(value).map(([key, member]) => [key, shape(key, member)] as const);
    return `{${members.map(([key, text]) => (text === '' ? '' : `${key}:${text},`)).join('')}}`;
  }
}
