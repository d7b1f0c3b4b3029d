import type { IndexManifest } from '@fossick/format';
import { WORD_RULES } from '@fossick/tokenizer';

/** Whether an index has words that an older release cut by other rules: searches may miss them until it is indexed again. */
export function hasOlderWords({ wordRules, documentCount }: IndexManifest): boolean {
  return wordRules !== WORD_RULES && documentCount > 0;
}
