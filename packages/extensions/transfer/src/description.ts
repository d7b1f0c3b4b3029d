import { codesOf, objectSchema, registers } from '@fossick/api/openapi';
import type { ApiPart } from '@fossick/runtime/extension';
import { EXPORT_BODY } from './export/export-fields.js';

export const TRANSFER_PART: ApiPart = {
  tags: {},
  operations: [
    {
      id: 'export',
      method: 'post',
      path: '/export',
      tag: 'Instance',
      summary: 'Send indexes to another instance',
      action: 'export',
      body: {
        schema: objectSchema(EXPORT_BODY),
        example: { url: 'http://other.example.com', indexes: { 'movies*': {} } },
      },
      answers: registers('export', { status: 200, indexUid: null }),
      errors: codesOf('invalid_export_'),
    },
  ],
};
