import type { Settings } from '../../api/types.js';

/** The value at a path within the settings, undefined when there is none. */
export function valueAt(settings: Settings, path: readonly string[]): unknown {
  let value: unknown = settings;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/** The settings with another value at a path; nothing else is copied. */
export function withValue(settings: Settings, [name, ...rest]: readonly string[], value: unknown): Settings {
  if (name === undefined) return settings;
  if (rest.length === 0) return { ...settings, [name]: value };
  const inner = settings[name];
  return { ...settings, [name]: withValue(isObject(inner) ? inner : {}, rest, value) };
}

/** The settings that the draft changes, in the form of a request. Removed embedders, and removed members of the chat setting, are reset by name. */
export function changesOf(saved: Settings, draft: Settings): Record<string, unknown> {
  const changed = Object.keys(draft).filter((name) => JSON.stringify(draft[name]) !== JSON.stringify(saved[name]));
  const changes = Object.fromEntries(changed.map((name) => [name, draft[name]]));
  const [before, after] = [saved['embedders'], changes['embedders']];
  if (isObject(before) && isObject(after)) changes['embedders'] = embedderChanges(before, after);
  const [chatBefore, chatAfter] = [saved['chat'], changes['chat']];
  if (isObject(chatBefore) && isObject(chatAfter)) changes['chat'] = memberChanges(chatBefore, chatAfter);
  return changes;
}

/**
 * Changed embedders in the form of a request: by name, and by member for one that keeps its source, null for a removed one. Unchanged members
 * are not sent: a key is shown masked, and its mask is no key.
 */
function embedderChanges(before: Settings, after: Settings): Record<string, unknown> {
  const changes = new Map<string, unknown>(Object.keys(before).map((name) => [name, null]));
  for (const [name, next] of Object.entries(after)) {
    const last = Object.hasOwn(before, name) ? before[name] : undefined;
    if (JSON.stringify(next) === JSON.stringify(last)) changes.delete(name);
    else changes.set(name, isObject(last) && isObject(next) ? memberChanges(last, next) : next);
  }
  return Object.fromEntries(changes);
}

function memberChanges(before: Settings, after: Settings): Record<string, unknown> {
  const isSame = before['source'] === after['source'];
  const changed = Object.entries(after).filter(([name, value]) =>
    name === 'source'
      ? !isSame
      : JSON.stringify(value) !== JSON.stringify(Object.hasOwn(before, name) ? before[name] : undefined),
  );
  // another source drops other members automatically, and rejects them if they are sent
  const gone = isSame ? Object.keys(before).filter((name) => !Object.hasOwn(after, name)) : [];
  return Object.fromEntries([...changed, ...gone.map((name) => [name, null])]);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
