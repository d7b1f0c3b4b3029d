import { inQuery, optional } from '@fossick/base/contract';
import { SIMILAR_PARAMETERS } from '@fossick/settings/parameters';

/** Body of POST similar. */
export const SIMILAR_BODY = SIMILAR_PARAMETERS;

const { embedder } = SIMILAR_PARAMETERS;
/** Query parameters of GET similar, where `embedder` has a default. */
export const SIMILAR_QUERY = inQuery({
  ...SIMILAR_PARAMETERS,
  embedder: optional(embedder.code, embedder.kind, 'default'),
});
