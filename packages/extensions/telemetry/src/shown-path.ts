/** What stands for a part of a path that is not shown, as the conventions of OpenTelemetry say. */
const HIDDEN = 'REDACTED';
/** The parameter of routes that is shown: an index is no secret of its documents. */
const SHOWN = ':indexUid';
/** Keys are part of these paths. */
const KEYS = /^\/+keys(\/|$)/i;

/**
 * The path of an address as a span shows it: names of indexes, but no keys, and no ids of documents unless `hasTexts`. Nothing is shown of an
 * address without a route, where anything may stand.
 */
export function shownPath(url: string, route: string | undefined, hasTexts: boolean): string {
  const path = url.split('?', 1)[0]!;
  if (hasTexts && !KEYS.test(path)) return path;
  if (route === undefined) return `/${HIDDEN}`;
  const parts = path.split('/').filter((part) => part !== '');
  const names = route.split('/').filter((name) => name !== '');
  return `/${names.map((name, at) => (/^[:*]/.test(name) ? (name === SHOWN ? parts[at] : HIDDEN) : name)).join('/')}`;
}
