/** A start that cannot or must not happen; its message is for the terminal. */
export class LaunchError extends Error {}
