import { own, setOwn } from '@fossick/base';
import { checkEmbedderCount, checkMergedEmbedder } from './check-embedder.js';
import { type EmbedderConfig, type EmbedderField, type EmbedderSource, sourceOf, takesField } from './sources.js';

export type Embedders = Readonly<Record<string, unknown>>;

/** Fields of one provider: a new source begins without them, whether or not it has such fields. */
const OF_PROVIDER: ReadonlySet<string> = new Set<EmbedderField>(['model', 'revision', 'pooling', 'dimensions', 'url']);
/** Maps of named parts: each name is replaced or deleted by itself. Every other value is replaced as a whole. */
const NAMED_PARTS: ReadonlySet<string> = new Set<EmbedderField>(['indexingFragments', 'searchFragments']);
const NESTED: ReadonlySet<string> = new Set<EmbedderField>(['searchEmbedder', 'indexingEmbedder']);

/**
 * The embedders after a patch: null deletes, the others merge field by field. Throws ApiError
 * invalid_settings_embedders and vector_embedding_error when the result is invalid.
 */
export function mergeEmbedders(current: Embedders, patch: Embedders): Embedders {
  const merged: Record<string, unknown> = { ...current };
  for (const [name, change] of Object.entries(patch)) {
    delete merged[name];
    if (change === null) continue;
    const before = own(current, name) as EmbedderConfig | undefined;
    const after = mergeEmbedder(before, change as EmbedderConfig);
    checkMergedEmbedder(before, after, `.embedders.${name}`);
    setOwn(merged, name, after);
  }
  // existing embedders keep their order
  const ordered = [...Object.keys(current), ...Object.keys(patch)].filter((name) => Object.hasOwn(merged, name));
  const result = Object.fromEntries(ordered.map((name) => [name, own(merged, name)]));
  checkEmbedderCount(result);
  return result;
}

/** One embedder after a change of it; null fields are dropped, and those that a new source does not accept. */
export function mergeEmbedder(before: EmbedderConfig | undefined, change: EmbedderConfig): EmbedderConfig {
  const source = change.source === null ? 'openAi' : (change.source ?? sourceOf(before ?? {}));
  return { source, ...mergedFields(before, change, source) };
}

function mergedFields(before: EmbedderConfig | undefined, change: EmbedderConfig, source: EmbedderSource): object {
  const isNew = before === undefined || sourceOf(before) !== source;
  const merged: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(before ?? {}))
    if (field !== 'source' && takesField(source, field) && !(isNew && OF_PROVIDER.has(field)))
      setOwn(merged, field, value);
  for (const [field, value] of Object.entries(change)) {
    if (field === 'source') continue;
    if (value === null) delete merged[field];
    else if (NAMED_PARTS.has(field)) setOwn(merged, field, mergeParts(own(merged, field), value as object));
    else if (NESTED.has(field))
      setOwn(merged, field, mergeNested(own(merged, field) as EmbedderConfig | undefined, value as EmbedderConfig));
    else setOwn(merged, field, value);
  }
  return merged;
}

/** A nested embedder gets no default source: the check reports a missing one. */
function mergeNested(before: EmbedderConfig | undefined, change: EmbedderConfig): EmbedderConfig {
  const source = change.source ?? (change.source === null ? undefined : before?.source);
  return source === undefined ? { ...before, ...change } : { source, ...mergedFields(before, change, source) };
}

/**
 * A stored embedder without fields that its source does not accept: older releases kept fields of an earlier source.
 */
export function cleanEmbedder(stored: unknown): EmbedderConfig {
  const config = (stored ?? {}) as EmbedderConfig;
  const source = sourceOf(config);
  const fields = Object.entries(config).filter(([field, value]) => value !== null && takesField(source, field));
  return { source, ...Object.fromEntries(fields) };
}

function mergeParts(current: unknown, patch: object): object {
  const merged = { ...((current ?? {}) as object), ...patch };
  return Object.fromEntries(Object.entries(merged).filter(([, part]) => part !== null));
}
