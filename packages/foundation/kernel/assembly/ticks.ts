// Pauses of long calls: the kernel counts steps, and calls the host after a number of them, which may look at its clock.

/** The host's callback: it returns, or throws and so ends the call. */
// @ts-ignore: decorator
@external("host", "pause")
declare function pause(): void;

/** A step is a block of 128 postings or work of about the same time, some 0.2 to 2 µs. */
const STEPS: i32 = 256;
let steps: i32 = STEPS;

/** To be called after each step of a loop that may be long. The caller must leave no state when the call ends here. */
// @ts-ignore: decorator
@inline export function tick(): void { if (--steps <= 0) rest(); }

function rest(): void {
  steps = STEPS;
  pause();
}
