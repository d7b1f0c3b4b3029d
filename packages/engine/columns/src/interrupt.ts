/** Called again and again by work that may be long: it may throw, which ends the work. */
export type CheckInterrupt = () => void;
