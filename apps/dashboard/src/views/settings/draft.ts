import type { Settings } from '../../api/types.js';

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

/** The settings that the draft changes, as a request has them. Embedders, and members of what chats know, that the draft has no more are taken back by name. */
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
 * Embedders as a request changes them: by name, and of one that keeps its source by member, null for what is gone. Members that are as they were
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
  // another source drops by itself what it does not take, and refuses to be told of it
  const gone = isSame ? Object.keys(before).filter((name) => !Object.hasOwn(after, name)) : [];
  return Object.fromEntries([...changed, ...gone.map((name) => [name, null])]);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
