import { parseJson } from '@fossick/api';
import { type BodyName, runInThread, type SearchContext } from '@fossick/search-service';
import type { FastifyRequest } from 'fastify';
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
