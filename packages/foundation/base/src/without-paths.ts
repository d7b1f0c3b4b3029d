/**
 * An absolute path of two parts or more, up to its last part: POSIX, Windows, or a `file:` URL. What follows a letter,
 * a digit or a slash is part of something else, such as the address of another server.
 */
const FOLDER = /(?:file:\/\/|(?<![\w/:.-]))(?:\/[^\s'"`,:;()<>/]+)+\/|\b[A-Za-z]:\\(?:[^\s'"`\\]+\\)*/g;

/**
 * The message of an error of the system or a library, with names of files instead of their paths: answers do not tell
 * where the server keeps its files. O(length)
 */
export function messageWithoutPaths(error: unknown): string {
  if (!(error instanceof Error)) return String(error).replace(FOLDER, '');
  let { message } = error;
  const { path, dest } = error as NodeJS.ErrnoException & { readonly dest?: unknown };
  // they may contain spaces and quotes, which end a path in a text
  for (const known of [path, dest])
    if (typeof known === 'string' && known.length > 1) message = message.replaceAll(known, lastPart(known));
  return message.replace(FOLDER, '');
}

function lastPart(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== '') ?? '';
}
