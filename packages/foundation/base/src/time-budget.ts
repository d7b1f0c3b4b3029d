/** How long this thread may work on one thing while others wait for it: what takes longer is dropped, and begins again in a thread that nobody waits for. */

/** The time is up, and the work is to be dropped. Work may throw it wherever it looks at the clock, so it has no effect until it is done. */
export class TimeBudgetSpent extends Error {
  constructor() {
    super('the work takes longer than others should wait for it');
  }
}

/** Called again and again by work that may be long: it may throw, which ends the work. */
export type CheckInterrupt = () => void;

type Clock = () => number;
const systemClock: Clock = () => performance.now();

let clock = systemClock;
/** On the clock; Infinity where nothing is limited. */
let untilMs = Number.POSITIVE_INFINITY;
let isSpent = false;
let budgetMs = Number.POSITIVE_INFINITY;
/** Steps until `stepInBudget` looks at the clock. */
let stepsLeft = 0;
/** A step takes up to some ten microseconds. */
const STEPS_PER_LOOK = 64;
/** Characters that are worth a step, as a power of two. */
const UNIT_BITS_OF_STEP = 6;

/**
 * Runs synchronous work for so many milliseconds at most. @throws TimeBudgetSpent when they were over at one of the places that look, whatever became of
 * the error there. `now`: another clock, for tests.
 */
export function withinTimeBudget<T>(milliseconds: number, work: () => T, now: Clock = systemClock): T {
  const outer = { clock, untilMs, isSpent, budgetMs };
  clock = now;
  budgetMs = milliseconds;
  untilMs = milliseconds === Number.POSITIVE_INFINITY ? milliseconds : now() + milliseconds;
  isSpent = false;
  stepsLeft = 0;
  try {
    const result = work();
    if (isSpent) throw new TimeBudgetSpent();
    return result;
  } catch (error) {
    throw isSpent ? new TimeBudgetSpent() : error;
  } finally {
    ({ clock, untilMs, isSpent, budgetMs } = outer);
  }
}

/** Runs work that cannot be dropped half way without being as long again the next time. The budget is whole after it. */
export function beforeTimeBudget<T>(work: () => T): T {
  const limitMs = untilMs;
  untilMs = Number.POSITIVE_INFINITY;
  try {
    return work();
  } finally {
    untilMs = limitMs === Number.POSITIVE_INFINITY ? limitMs : clock() + budgetMs;
  }
}

/** Runs work of which nothing is left when it is dropped: it is not dropped, but its time counts. For what takes some milliseconds. */
export function beyondTimeBudget<T>(work: () => T): T {
  const limitMs = untilMs;
  untilMs = Number.POSITIVE_INFINITY;
  try {
    return work();
  } finally {
    untilMs = limitMs;
  }
}

/** To be called before each step that takes more than some ten microseconds. @throws TimeBudgetSpent */
export function checkTimeBudget(): void {
  if (untilMs !== Number.POSITIVE_INFINITY && clock() > untilMs) spend();
}

/** Bytes of JSON, or of a document, that are read or written in a hundredth of a second, which nothing can interrupt. */
export const LONG_WHOLE_BYTES = 256 * 1024;

/** To be called before reading or writing a value as a whole, of so many bytes. @throws TimeBudgetSpent for many */
export function checkWhole(byteCount: number): void {
  if (byteCount > LONG_WHOLE_BYTES && untilMs !== Number.POSITIVE_INFINITY) spend();
}

function spend(): never {
  isSpent = true;
  throw new TimeBudgetSpent();
}

/** The same before steps so short that a look at the clock would be a part of them; `units`: how long the text of the step is. @throws TimeBudgetSpent */
export function stepInBudget(units = 0): void {
  stepsLeft -= 1 + (units >>> UNIT_BITS_OF_STEP);
  if (stepsLeft > 0) return;
  stepsLeft = STEPS_PER_LOOK;
  checkTimeBudget();
}

/** Whether a deadline on the clock of performance.now() has passed. @throws TimeBudgetSpent */
export function isPast(deadlineMs: number): boolean {
  checkTimeBudget();
  return performance.now() > deadlineMs;
}
