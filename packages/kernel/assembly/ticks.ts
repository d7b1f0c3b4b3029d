// Long calls let the host look at its clock now and then: the kernel counts steps, and pauses after so many.

/** The host's look: it returns, or throws and so ends the call. */
// @ts-ignore: decorator
@external("host", "pause")
declare function pause(): void;

/** A step is a block of 128 postings or what takes about as long, some 0.2 to 2 µs. */
const STEPS: i32 = 256;
let steps: i32 = STEPS;

/** To be called after each step of a loop that may be long. What runs must leave nothing behind when it ends here. */
// @ts-ignore: decorator
@inline export function tick(): void {
  if (--steps <= 0) rest();
}

function rest(): void {
  steps = STEPS;
  pause();
}
