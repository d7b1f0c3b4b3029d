/** Random choices that a seed repeats exactly, on any platform. */

/** A stream of choices. The generator is mulberry32: 32 bits of state, good enough to vary test data. */
export class Random {
  #state;

  /** `seed` is any integer; only its low 32 bits count. */
  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** A number in [0, 1). */
  fraction() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer in [0, end). */
  below(end) {
    return Math.floor(this.fraction() * end);
  }

  /** An integer in [first, last]. */
  between(first, last) {
    return first + this.below(last - first + 1);
  }

  /** True in `share` of all cases. */
  chance(share) {
    return this.fraction() < share;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  /** An early element more often than a late one, like the words of a language (about 1 / rank). */
  pickEarly(list) {
    return list[Math.min(list.length - 1, Math.floor(list.length ** this.fraction()) - 1)];
  }

  /** `count` elements, none twice, in random order. */
  some(list, count) {
    return this.shuffled(list).slice(0, count);
  }

  shuffled(list) {
    const all = [...list];
    for (let at = all.length - 1; at > 0; at--) {
      const other = this.below(at + 1);
      [all[at], all[other]] = [all[other], all[at]];
    }
    return all;
  }

  /** The keys of `shares`, each with the probability of its share, in their order. */
  keys(shares) {
    return Object.keys(shares).filter((key) => this.chance(shares[key]));
  }
}
