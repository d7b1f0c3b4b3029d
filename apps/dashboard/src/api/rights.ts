/** Whether a key that lists `granted` may do one of the actions that views need: `search`, and those that end in `.get`. */
export function coversAction(granted: readonly string[], action: string): boolean {
  const [family] = action.split('.');
  return granted.some(
    (name) => name === '*' || name === action || name === `${family}.*` || (name === '*.get' && family !== 'keys'),
  );
}
