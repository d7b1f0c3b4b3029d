import type { Settings } from '../api/types.js';

/** The value at a place within the settings, undefined where there is none. */
export function valueAt(settings: Settings, path: readonly string[]): unknown {
  let value: unknown = settings;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/** The settings with another value at a place; nothing else is copied. */
export function withValue(settings: Settings, [name, ...rest]: readonly string[], value: unknown): Settings {
  if (name === undefined) return settings;
  if (rest.length === 0) return { ...settings, [name]: value };
  const inner = settings[name];
  return { ...settings, [name]: withValue(isObject(inner) ? inner : {}, rest, value) };
}

/** The settings that the draft changes, as a request has them. Embedders that the draft has no more are deleted by name. */
export function changesOf(saved: Settings, draft: Settings): Record<string, unknown> {
  const changed = Object.keys(draft).filter((name) => JSON.stringify(draft[name]) !== JSON.stringify(saved[name]));
  const changes = Object.fromEntries(changed.map((name) => [name, draft[name]]));
  const [before, after] = [saved['embedders'], changes['embedders']];
  if (isObject(before) && isObject(after)) {
    const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
    const kept = Object.entries(after).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
    );
    changes['embedders'] = Object.fromEntries([...kept, ...gone.map((name) => [name, null])]);
  }
  return changes;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
