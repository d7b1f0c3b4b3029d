import type { ErrorCode } from '@fossick/base';
import { choice, optional, required, share, shown, text } from '@fossick/base/contract';

/** What searches and settings have in common. */
export const matchingStrategy = shown(
  choice(['last', 'all', 'frequency'], 'Which words may be missing: from the end, none, or the most frequent first.'),
  { id: 'MatchingStrategy' },
);

/** Members of `hybrid`, with the codes of the request. */
export const hybridMembers = (embedder: ErrorCode, semanticRatio: ErrorCode, missing: ErrorCode) => ({
  /** Its name in the index's settings. */
  embedder: required(embedder, text('Name of the embedder.', 'default'), missing),
  /** 0: keywords only, 1: vectors only; 0.5 when absent. */
  semanticRatio: optional(semanticRatio, share('0: by words alone, 1: by meaning alone.'), 0.5),
});
