import { FETCH_BODY } from '@fossick/api';
import { testKinds } from '@fossick/server/openapi/kinds.test-support';
import { EXPORT_BODY } from '../export/export-fields.js';

testKinds({ tables: { EXPORT_BODY }, languages: [FETCH_BODY.filter.kind] });
