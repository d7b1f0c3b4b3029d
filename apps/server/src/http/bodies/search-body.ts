import { FEATURE_NAMES, parseEdition, parseJson } from '@fossick/api';
import type { WriteBody } from '@fossick/runtime';
import { type BodyName, runInThread, type SearchContext } from '@fossick/search-service';
import type { FastifyRequest } from 'fastify';
import type { ServerContext } from '../../context.js';
import { readCountedBytes } from './body.js';

/** What reading such a body needs. */
export interface BodyContext extends Pick<SearchContext, 'searchers' | 'counts'> {
  readonly options: { readonly readLimitBytes: number };
}

/** The JSON body of a request that reads; a long one is parsed and checked in a search thread before. @throws ApiError */
export async function readSearchJson(request: FastifyRequest, context: BodyContext, of: BodyName): Promise<unknown> {
  const body = await readCountedBytes(request, context.options.readLimitBytes);
  const job = { kind: 'receivedBody', of, body } as const;
  // whatever passes has limits, so that it is parsed here as well
  const wide = of === 'documents' || of === 'similar' ? String : undefined;
  if (context.searchers.takes(job)) return parseJson((await runInThread(context, job)).value ?? body, wide);
  return parseJson(body, wide);
}

/** The body of a write with a filter, of up to `limitBytes` bytes and `maxValues` values, checked likewise. @throws ApiError */
export async function readWriteJson(
  request: FastifyRequest,
  context: BodyContext & Pick<ServerContext, 'features'>,
  of: BodyName,
  { limitBytes, maxValues }: { readonly limitBytes: number; readonly maxValues: number },
): Promise<WriteBody> {
  const body = await readCountedBytes(request, limitBytes, maxValues);
  const parse = of === 'edition' ? parseEdition : parseJson;
  const job = { kind: 'receivedBody', of, body, featuresOn: FEATURE_NAMES.filter(context.features.isOn) } as const;
  if (!context.searchers.takes(job)) return { body: parse(body), isChecked: false };
  return { body: parse((await runInThread(context, job)).value ?? body), isChecked: true };
}
