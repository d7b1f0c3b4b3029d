import { ApiFault, call } from '../../api/client.js';
import type { ApiKey, Page } from '../../api/types.js';
import { signToken } from '../../parts/sign-token.js';

/** Lifetime of a conversation's token; each question makes a new one. */
const TOKEN_SECONDS = 3_600;

/**
 * A token for chats over these indexes only, signed with the server's chat key; undefined when the session's key may not read keys, or
 * there is no chat key: then the model is only instructed to use these indexes. Signing requires a page from HTTPS or localhost.
 */
export async function keyForIndexes(uids: readonly string[]): Promise<string | undefined> {
  if (crypto.subtle === undefined) return undefined;
  let keys: readonly ApiKey[];
  try {
    keys = (await call<Page<ApiKey>>('GET', '/keys', { query: { limit: 1_000 } })).results;
  } catch (error) {
    if (error instanceof ApiFault) return undefined;
    throw error;
  }
  const parent = keys.find(({ actions, indexes, expiresAt }) => {
    const isLive = expiresAt === null || Date.parse(expiresAt) > Date.now();
    return isLive && indexes.includes('*') && actions.includes('chatCompletions') && actions.includes('search');
  });
  if (parent === undefined) return undefined;
  const claims = { apiKeyUid: parent.uid, searchRules: uids, exp: Math.floor(Date.now() / 1000) + TOKEN_SECONDS };
  return signToken(claims, parent.key);
}
