/** Ends an exhaustive switch: a value here is a bug, never a user's input. */
export function unreachable(value: never): never {
  throw new Error(`unreachable value: ${JSON.stringify(value)}`);
}
