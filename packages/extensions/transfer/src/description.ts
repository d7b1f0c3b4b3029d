import {
  type AnswerOf,
  codesOf,
  count,
  date,
  objectSchema,
  operationsOf,
  registers,
  shows,
  text,
} from '@fossick/api/openapi';
import type { ErrorCode } from '@fossick/base';
import type { ApiPart } from '@fossick/runtime/extension';
import { z } from 'zod';
import { EXPORT_BODY } from './export/export-fields.js';

const copyFiles = z.strictObject({
  results: z.array(
    z.strictObject({
      uid: text('Its name in paths.'),
      size: count('Bytes.'),
      createdAt: date('When it was whole.'),
    }),
  ),
});
export type CopyFilesAnswer = AnswerOf<typeof copyFiles>;

/** The files of one kind of copies. */
function copyOperations(
  kind: string,
  { path, uid, missing }: { readonly path: string; readonly uid: string; readonly missing: ErrorCode },
) {
  const kinds = `${kind.toLowerCase()}s`;
  const example = { results: [{ uid, size: 34_567, createdAt: '2030-01-31T12:00:01.500Z' }] };
  const file = { schema: z.string(), mediaType: 'application/gzip' };
  return [
    {
      id: `list${kind}s`,
      route: `GET ${path}`,
      summary: `The ${kinds} in the folder of this server`,
      action: '*',
      answers: shows('The latest first. One that is being written is not in the list.', copyFiles, example),
    },
    {
      id: `get${kind}File`,
      route: `GET ${path}/{copyUid}/file`,
      summary: `Download one of the ${kinds}`,
      action: '*',
      answers: [
        { status: 200, says: 'The file: a tar archive, compressed by gzip.', ...file },
        { status: 206, says: 'The part of it that the header `Range` asks for.', ...file },
      ],
      errors: [missing, 'unsatisfiable_range'],
    },
  ] as const;
}

export const TRANSFER_PART: ApiPart = {
  tags: {},
  pathParameters: {
    copyUid: { says: 'Uid of the dump or snapshot.', schema: { type: 'string' }, example: '20300131-120000000' },
  },
  operations: operationsOf({ tag: 'Instance' }, [
    {
      id: 'createDump',
      route: 'POST /dumps',
      summary: 'Write a dump',
      action: 'dumps.create',
      answers: registers('dumpCreation', { status: 202, indexUid: null }),
    },
    {
      id: 'createSnapshot',
      route: 'POST /snapshots',
      summary: 'Write a snapshot',
      action: 'snapshots.create',
      answers: registers('snapshotCreation', { status: 202, indexUid: null }),
    },
    ...copyOperations('Dump', { path: '/_fossick/dumps', uid: '20300131-120000000', missing: 'dump_not_found' }),
    ...copyOperations('Snapshot', { path: '/_fossick/snapshots', uid: 'data.ms', missing: 'snapshot_not_found' }),
    {
      id: 'export',
      route: 'POST /export',
      summary: 'Send indexes to another instance',
      action: 'export',
      body: {
        schema: objectSchema(EXPORT_BODY),
        example: { url: 'http://other.example.com', indexes: { 'movies*': {} } },
      },
      answers: registers('export', { status: 200, indexUid: null }),
      errors: codesOf('invalid_export_'),
    },
  ]),
};
