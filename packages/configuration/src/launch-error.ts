/** A start that cannot or must not happen; its message is for the terminal. Programs that embed the engine tell it by its name. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
}
