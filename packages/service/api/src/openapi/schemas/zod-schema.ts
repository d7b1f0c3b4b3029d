import type { Schema } from '@fossick/base/contract';
import { z } from 'zod';

/** What a request may be is a JSON schema of a contract table; what an answer looks like is described with zod. */
export type AnySchema = Schema | z.ZodType;

/** The zod schema that is generated from a JSON schema of a table; that of an answer as it is. */
export const zodOf = (schema: AnySchema): z.ZodType =>
  schema instanceof z.ZodType ? schema : z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
