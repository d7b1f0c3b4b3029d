import { LaunchError } from '@fossick/instance';

/** A move that cannot begin or continue; its message is for the terminal. */
export class MoveError extends LaunchError {}
