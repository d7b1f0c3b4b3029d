/** Moves the wall clock of a process and its threads by `FOSSICK_TEST_CLOCK_MS`; the monotonic clock stays. */
const movedMs = Number(process.env.FOSSICK_TEST_CLOCK_MS ?? 0);
const origin = performance.timeOrigin + movedMs;
Object.defineProperty(performance, 'timeOrigin', { value: origin, configurable: true });
const { now } = Date;
Date.now = () => now() + movedMs;
