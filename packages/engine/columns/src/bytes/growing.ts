/** A growing list of u32 in one block of memory. */
export class GrowingWords {
  private words = new Uint32Array(256);
  /** Set it to 0 to reuse the memory for a new list. */
  length = 0;

  push(value: number): void {
    if (this.length === this.words.length) {
      const larger = new Uint32Array(this.words.length * 2);
      larger.set(this.words);
      this.words = larger;
    }
    this.words[this.length++] = value;
  }

  /** A view from `start` on, until the next push. */
  from(start: number): Uint32Array {
    return this.words.subarray(start, this.length);
  }
}

/** A growing list of texts as bytes; text i is offsets[i] .. offsets[i + 1]. */
export class GrowingTexts {
  private bytes = new Uint8Array(1024);
  private readonly ends = new GrowingWords();
  private used = 0;

  constructor() {
    this.ends.push(0);
  }

  /** Appends a text and returns its index. */
  push(text: Uint8Array): number {
    if (this.used + text.length > this.bytes.length) {
      const larger = new Uint8Array((this.used + text.length) * 2);
      larger.set(this.bytes.subarray(0, this.used));
      this.bytes = larger;
    }
    this.bytes.set(text, this.used);
    this.used += text.length;
    this.ends.push(this.used);
    return this.ends.length - 2;
  }

  /** The bytes of a text, valid until the next push. */
  at(number: number): Uint8Array {
    const offsets = this.offsets;
    return this.bytes.subarray(offsets[number], offsets[number + 1]);
  }

  get offsets(): Uint32Array {
    return this.ends.from(0);
  }

  get all(): Uint8Array {
    return this.bytes.subarray(0, this.used);
  }
}
