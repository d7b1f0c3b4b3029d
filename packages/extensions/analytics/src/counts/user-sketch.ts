/** Registers of a sketch: a thousand give a standard error of 3.3 %. */
const REGISTER_COUNT = 1024;
const ALPHA = 0.7213 / (1 + 1.079 / REGISTER_COUNT);

/**
 * Counts distinct users in a kilobyte, however many they are: HyperLogLog (Flajolet and others, 2007), with linear counting
 * for small numbers. Sketches of several hours and nodes are merged into one, so a user who comes back is counted once.
 */
export class UserSketch {
  private readonly registers: Uint8Array;

  constructor(registers: Uint8Array = new Uint8Array(REGISTER_COUNT)) {
    this.registers = registers;
  }

  /** `hash`: at least eleven hexadecimal digits, evenly distributed. */
  add(hash: string): void {
    const high = Number.parseInt(hash.slice(0, 3), 16);
    const low = Number.parseInt(hash.slice(3, 11), 16);
    const at = high & (REGISTER_COUNT - 1);
    const rank = Math.clz32(low) + 1;
    if (rank > this.registers[at]!) this.registers[at] = rank;
  }

  merge({ registers }: UserSketch): void {
    for (let at = 0; at < REGISTER_COUNT; at++)
      if (registers[at]! > this.registers[at]!) this.registers[at] = registers[at]!;
  }

  /** The estimated number of distinct users. O(1,024) */
  get count(): number {
    let sum = 0;
    let zeros = 0;
    for (const rank of this.registers) {
      sum += 2 ** -rank;
      if (rank === 0) zeros += 1;
    }
    const raw = (ALPHA * REGISTER_COUNT * REGISTER_COUNT) / sum;
    if (raw <= 2.5 * REGISTER_COUNT && zeros > 0) return Math.round(REGISTER_COUNT * Math.log(REGISTER_COUNT / zeros));
    return Math.round(raw);
  }

  toText(): string {
    return Buffer.from(this.registers).toString('base64');
  }

  /** Undefined for a text that is no sketch. */
  static of(text: string): UserSketch | undefined {
    const registers = Uint8Array.from(Buffer.from(text, 'base64'));
    return registers.length === REGISTER_COUNT ? new UserSketch(registers) : undefined;
  }
}
