import { anyObject, inQuery, omit, optional } from '@fossick/base/contract';
import {
  FACET_SEARCH_PARAMETERS,
  HYBRID_PARAMETERS,
  PERSONALIZE_PARAMETERS,
  SEARCH_PARAMETERS,
} from '@fossick/settings/parameters';

/** Body of POST search. */
export const SEARCH_BODY = SEARCH_PARAMETERS;
/** Body of facet search. Routes ignore every other member, so that a client can send the parameters of its search. */
export const FACET_SEARCH_BODY = FACET_SEARCH_PARAMETERS;

const { embedder, semanticRatio } = HYBRID_PARAMETERS;
const { userContext } = PERSONALIZE_PARAMETERS;
/** Query parameters of GET search, where objects are flat. */
export const SEARCH_QUERY = inQuery({
  ...omit(SEARCH_PARAMETERS, 'hybrid', 'personalize'),
  media: optional(SEARCH_PARAMETERS.media.code, anyObject('Media to search by, as JSON.')),
  hybridEmbedder: optional(embedder.code, embedder.kind),
  hybridSemanticRatio: optional(semanticRatio.code, semanticRatio.kind),
  personalizeUserContext: optional(userContext.code, userContext.kind),
});
