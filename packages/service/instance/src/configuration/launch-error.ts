/**
 * An error that prevents the start; its message is for the terminal. Programs that embed the engine recognise it by its
 * name.
 */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
}
