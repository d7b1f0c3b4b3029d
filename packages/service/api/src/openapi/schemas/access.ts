import { objectSchema, querySchema } from '@fossick/base/contract';
import { z } from 'zod';
import { KEY_CHANGE_BODY, KEY_CREATION_BODY, KEY_PAGE_QUERY } from '../../requests/instance/key-fields.js';
import {
  type AnswerOf,
  codesOf,
  date,
  exampleText,
  type Operation,
  operationsOf,
  pageOf,
  shows,
  text,
} from './operation.js';

const key = z
  .strictObject({
    name: z.string().nullable(),
    description: z.string().nullable(),
    key: text('What requests send as their bearer.'),
    uid: exampleText('A UUID.', '6062abda-a5aa-4414-ac91-ecd7944c0f8d'),
    actions: z.array(z.string()),
    indexes: z.array(z.string()),
    expiresAt: z.string().nullable(),
    createdAt: date('When it was made.'),
    updatedAt: date('When it was changed last.'),
  })
  .meta({ id: 'Key', description: 'Who may do what, where, and how long.' });
export type KeyAnswer = AnswerOf<typeof key>;
const KEY_EXAMPLE = {
  name: 'Front end',
  description: null,
  key: '63edf5f9b3c6a7c5a9e1a9d6a1a4bd2df7e0b1f8d0a8a8cb3d1d1c0f7e4b2a19',
  uid: '6062abda-a5aa-4414-ac91-ecd7944c0f8d',
  actions: ['search'],
  indexes: ['movies'],
  expiresAt: null,
  createdAt: '2030-01-31T12:00:00Z',
  updatedAt: '2030-01-31T12:00:00Z',
};

const tag = 'Keys';
const ONE = ['api_key_not_found', 'missing_master_key'] as const;
const shown = (status: number, says: string): Operation['answers'] => [
  { status, says, schema: key, example: KEY_EXAMPLE },
];

export const ACCESS_OPERATIONS: readonly Operation[] = operationsOf({ tag }, [
  {
    id: 'listKeys',
    route: 'GET /keys',
    summary: 'Keys, the newest first',
    action: 'keys.get',
    query: querySchema(KEY_PAGE_QUERY),
    answers: shows('A page of keys.', pageOf(key), { results: [KEY_EXAMPLE], offset: 0, limit: 20, total: 1 }),
    errors: ['invalid_api_key_offset', 'invalid_api_key_limit', 'missing_master_key'],
  },
  {
    id: 'createKey',
    route: 'POST /keys',
    summary: 'Make a key',
    action: 'keys.create',
    body: {
      schema: objectSchema(KEY_CREATION_BODY),
      example: { actions: ['search'], indexes: ['movies'], expiresAt: null },
    },
    answers: shown(201, 'The key.'),
    errors: codesOf(
      'invalid_api_key_',
      'missing_api_key_',
      'api_key_already_exists',
      'index_scoped_',
      'missing_master_key',
    ),
  },
  {
    id: 'getKey',
    route: 'GET /keys/{key}',
    summary: 'One key, by its uid or value',
    action: 'keys.get',
    answers: shown(200, 'The key.'),
    errors: ONE,
  },
  {
    id: 'updateKey',
    route: 'PATCH /keys/{key}',
    summary: 'Change the name and description of a key',
    action: 'keys.update',
    body: { schema: objectSchema(KEY_CHANGE_BODY), example: { name: 'Shop' } },
    answers: shown(200, 'The key.'),
    errors: [...ONE, ...codesOf('immutable_api_key_', 'invalid_api_key_')],
  },
  {
    id: 'deleteKey',
    route: 'DELETE /keys/{key}',
    summary: 'Delete a key',
    action: 'keys.delete',
    answers: [{ status: 204, says: 'It is gone.' }],
    errors: ONE,
  },
]);
