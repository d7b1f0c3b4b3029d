import type { Asker } from '@fossick/runtime/extension';
import { type AnswerOptions, wantsMetadata } from '@fossick/search-service';
import type { ServerContext } from '../../context.js';

/**
 * What a search is asked besides its hits: metadata where the request wants them, and notes where extensions look at searches. A search
 * that another instance of the network sends was noted there.
 */
export function answerOptionsOf(
  { extensions, ownConnection }: Pick<ServerContext, 'extensions' | 'ownConnection'>,
  asker: Asker,
): AnswerOptions {
  const withMetadata = wantsMetadata(asker);
  const isWarmUp = ownConnection.has(asker.connection);
  const note = isWarmUp || asker.headers['meili-proxy-search'] === 'true' ? undefined : extensions.noteOf(asker);
  const carried = extensions.carriedBy(asker);
  return {
    withMetadata,
    isWarmUp,
    ...(note === undefined ? {} : { note }),
    ...(carried === undefined ? {} : { carried }),
  };
}
