/** Checks of requests that take long, in any thread: a body of a million words takes half a second to parse. */

import {
  checkWriteFilter,
  DELETION_BODY,
  EDITION_BODY,
  FACET_SEARCH_BODY,
  FETCH_BODY,
  FIELDS_BODY,
  parseEdition,
  parseJson,
  readFields,
  SERVER_MULTI_SEARCH_BODY,
  SERVER_SEARCH_BODY,
  SIMILAR_BODY,
} from '@fossick/api';
import { collectGarbage, LONG_WHOLE_BYTES, MAX_MEDIA_VALUES } from '@fossick/base';
import { type Fields, wrongValue } from '@fossick/base/contract';
import { toJsonText } from '@fossick/documents';
import { readFilter } from '@fossick/filter';
import { found, inThreadIf, type JobKind } from '../job.js';

/** What a body may have; `ignoresUnknown`: its route drops other members. */
interface BodyForm {
  readonly fields: Fields;
  readonly ignoresUnknown: boolean;
  /** Its filter selects what is written. */
  readonly isWrite?: boolean;
  readonly parse?: (bytes: Buffer) => unknown;
}
/** The bodies that are checked so. */
export type BodyName =
  | 'search'
  | 'facetSearch'
  | 'multiSearch'
  | 'similar'
  | 'documents'
  | 'fields'
  | 'deletion'
  | 'edition';

const BODIES: Readonly<Record<BodyName, BodyForm>> = {
  search: { fields: SERVER_SEARCH_BODY, ignoresUnknown: false },
  facetSearch: { fields: FACET_SEARCH_BODY, ignoresUnknown: true },
  multiSearch: { fields: SERVER_MULTI_SEARCH_BODY, ignoresUnknown: false },
  similar: { fields: SIMILAR_BODY, ignoresUnknown: false },
  documents: { fields: FETCH_BODY, ignoresUnknown: false },
  fields: { fields: FIELDS_BODY, ignoresUnknown: false },
  deletion: { fields: DELETION_BODY, ignoresUnknown: false, isWrite: true },
  edition: { fields: EDITION_BODY, ignoresUnknown: false, isWrite: true, parse: parseEdition },
};

/** A body; the answer is null when it is valid as it is, or its JSON text without white space and members that its route ignores. */
export interface ReceivedBodyJob {
  readonly kind: 'receivedBody';
  readonly of: BodyName;
  readonly body: Uint8Array;
  /** For the filter of a write: the features that are on. */
  readonly featuresOn?: readonly string[];
}

/** Bytes of a body that may be mostly white space or escapes: what it says is passed on, because it is parsed again. */
const PADDED_BODY_BYTES = 8 << 20;

export const RECEIVED_BODY: JobKind<ReceivedBodyJob, Buffer | null> = {
  place: ({ body }) => inThreadIf(body.length > LONG_WHOLE_BYTES),
  run(_engine, { of, body, featuresOn = [] }) {
    // a value of a million words would stay in the heap of this thread, which seldom needs room
    setImmediate(collectGarbage);
    const { fields, ignoresUnknown, isWrite = false, parse = parseJson } = BODIES[of];
    const given = parse(Buffer.from(body.buffer, body.byteOffset, body.length));
    readFields(given, fields, { ignoresUnknown });
    if (isWrite)
      checkWriteFilter((given as { filter?: unknown }).filter ?? null, { isOn: (name) => featuresOn.includes(name) });
    checkMedia(given as MediaBody);
    const entries = Object.entries(given as object);
    const known = entries.filter(([name]) => Object.hasOwn(fields, name));
    if (known.length === entries.length && body.length < PADDED_BODY_BYTES) return found(null);
    return found(Buffer.from(toJsonText(Object.fromEntries(known))));
  },
};

interface MediaBody {
  readonly media?: unknown;
  readonly queries?: readonly MediaBody[];
}

/** Everything else in a valid body has limits of its own. The values of a shorter body do not take long. */
function checkMedia({ media, queries = [] }: MediaBody): void {
  if (!hasMoreValues([media, ...queries.map((query) => query.media)], MAX_MEDIA_VALUES)) return;
  const at = { code: 'invalid_search_media', path: '.media' } as const;
  throw wrongValue(at, `the media of a request may have up to ${MAX_MEDIA_VALUES} values.`);
}

/** Whether lists and objects have more values than `maxCount` in all. O(maxCount) */
function hasMoreValues(values: readonly unknown[], maxCount: number): boolean {
  let count = 0;
  const open = [...values];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const members: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    count += members.length;
    if (count > maxCount) return true;
    for (const member of members) open.push(member);
  }
  return false;
}

/** Whether a filter can be parsed: it throws if not. */
export interface SyntaxJob {
  readonly kind: 'syntax';
  readonly filter: unknown;
}

export const SYNTAX: JobKind<SyntaxJob, null> = {
  place: () => 'here',
  run(_engine, { filter }) {
    readFilter(filter, 'invalid_search_filter');
    return found(null);
  },
};
