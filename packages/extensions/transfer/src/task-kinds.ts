import type { JsonObject } from '@fossick/base';
import type { AddedContent, TaskKind } from '@fossick/tasks';

const list = (text: string): readonly string[] => text.split(' · ');

/** In the order in which they run. Their names and steps are those of the reference engine. */
export const TASK_KINDS: readonly TaskKind[] = [
  {
    type: 'export',
    takes: 'oldest',
    details: [
      { name: 'url' },
      { name: 'apiKey', member: 'shownApiKey', isOptional: true },
      { name: 'payloadSize', isOptional: true },
      { name: 'indexes' },
    ],
  },
  {
    type: 'snapshotCreation',
    takes: 'all',
    details: null,
    steps: list(
      'start the snapshot creation · snapshot the index scheduler · snapshot the update files · snapshot the indexes · ' +
        'snapshot the api keys · create the tarball',
    ),
  },
  {
    type: 'dumpCreation',
    takes: 'oldest',
    details: [{ name: 'dumpUid' }],
    steps: list(
      'start the dump creation · dump the api keys · dump the chat completion settings · dump the tasks · ' +
        'dump the batches · dump the indexes · dump the experimental features · dump the webhooks · ' +
        'dump dynamic search rules · compress the dump',
    ),
  },
];

/** A task that sends indexes to another instance. */
export type ExportContent = AddedContent & {
  readonly type: 'export';
  readonly url: string;
  /** Unmasked, for the request; `shownApiKey` masks it in answers. */
  readonly apiKey: string | null;
  readonly shownApiKey: string | null;
  /** As the details show it; null when the request did not give it. */
  readonly payloadSize: string | null;
  /** Largest payload to send, in bytes. */
  readonly payloadBytes: number;
  readonly indexes: { readonly [pattern: string]: JsonObject };
  /** What the caller may access, if that is not everything: only indexes within it are sent. */
  readonly scope?: JsonObject;
};
