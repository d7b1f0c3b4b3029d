import { ScriptStopError } from '../syntax/script-error.js';

/**
 * Operations of a script on one document. One is a step of the script, or some 16 characters or 4 entries that it
 * processes.
 */
const OPERATION_COUNT_MAX = 1_000_000;
/** Wall-clock limit for one document, in milliseconds: 20 times what an exhausted budget takes. */
const DOCUMENT_MS_MAX = 10_000;
/** Operations between two looks at the clock: well below a millisecond. */
const OPERATIONS_PER_PULSE = 2_000;
/** Characters and entries that cost as much as one step. */
const CHARS_PER_OPERATION = 16;
const COMPARED_CHARS_PER_OPERATION = 64;
/** Searching for a text costs at worst its length times that of the searched text. */
const SEARCHED_PAIRS_PER_OPERATION = 1_024;

/**
 * The remaining operations of a script on one document. Everything is paid for before it is done, by the amount of
 * data.
 */
export class Budget {
  private readonly pulse: () => void;
  private spent = 0;
  private checkedAt = OPERATIONS_PER_PULSE;
  private readonly startedAt = performance.now();

  /** `pulse` is called about every millisecond while the script runs; an error that it throws ends the script. */
  constructor(pulse: () => void = () => undefined) {
    this.pulse = pulse;
  }

  /** Throws ScriptStopError when the remaining budget is too small. */
  spend(count = 1): void {
    this.spent += count;
    if (this.spent >= this.checkedAt) this.check();
  }
  /** For reading a text. */
  spendText(length: number): void {
    this.spend(length / CHARS_PER_OPERATION);
  }
  /** For comparing two texts. */
  spendCompared(left: string, right: string): void {
    this.spend(Math.min(left.length, right.length) / COMPARED_CHARS_PER_OPERATION);
  }
  /** For searching one text in another. */
  spendSearch(text: string, part: string): void {
    this.spend(text.length / CHARS_PER_OPERATION + (text.length * part.length) / SEARCHED_PAIRS_PER_OPERATION);
  }
  /** Items that may still be created, each for one operation. */
  get left(): number {
    return Math.max(0, Math.floor(OPERATION_COUNT_MAX - this.spent));
  }

  private check(): void {
    if (this.spent > OPERATION_COUNT_MAX) throw new ScriptStopError('Too many operations');
    this.checkedAt = Math.min(this.spent + OPERATIONS_PER_PULSE, OPERATION_COUNT_MAX);
    if (performance.now() - this.startedAt > DOCUMENT_MS_MAX)
      throw new ScriptStopError(`The script runs for longer than ${DOCUMENT_MS_MAX / 1_000} s`);
    this.pulse();
  }
}
