/**
 * The masked form of a secret in both engines: its first characters, some X, three dots (`XXX...`, `sk-abXXXXXX...`).
 */
const MASKED = /X{3,}\.{3}$/;

/** The value without its masked members, at any depth; `paths` receives their names, joined by dots. */
export function withoutMasked(value: unknown, path: string, paths: string[]): unknown {
  if (Array.isArray(value)) return value.map((member, at) => withoutMasked(member, `${path}.${at}`, paths));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const memberPath = path === '' ? name : `${path}.${name}`;
      if (typeof member !== 'string' || !MASKED.test(member)) return [[name, withoutMasked(member, memberPath, paths)]];
      paths.push(memberPath);
      return [];
    }),
  );
}
