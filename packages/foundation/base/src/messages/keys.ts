import type { MessageRows } from './message-row.js';

/** Messages of errors of keys and rights, by code. */
export const KEYS_MESSAGES = {
  api_key_already_exists: (uid: string) => `There is a key with the uid \`${uid}\` already.`,
  api_key_not_found: (uidOrValue: string) => `There is no API key \`${uidOrValue}\`.`,
  index_scoped_api_key_with_global_action: (action: string) =>
    `The action \`${action}\` concerns the whole instance: a key that has it needs \`"indexes": ["*"]\`.`,
  invalid_api_key: {
    foreignIndex: (uid: string) => `The API key does not allow to look into the index \`${uid}\`.`,
    changed: () => 'The rights of the API key or tenant token have changed meanwhile.',
    unknown: () => 'The API key or tenant token is unknown.',
    expired: (name: string, expiresAt: string) => `The ${name} expired at ${expiresAt}.`,
    lacksRight: (name: string, action: string) => `The ${name} lacks the right to the action \`${action}\`.`,
    notForTokens: (action: string) =>
      `A tenant token cannot stand for the action \`${action}\`: it is for searches and chats only.`,
    outOfReach: (uid: string) => `The API key or tenant token does not reach the index \`${uid}\`.`,
  },
  missing_authorization_header: {
    none: () => 'This server needs an `Authorization: Bearer <API key>` header, and the request has none.',
    notBearer: () =>
      'The `Authorization` header has no `Bearer ` in front of the key: send `Authorization: Bearer <API key>`.',
  },
  missing_master_key: () => 'Key management needs a server that was started with `--master-key`.',
} satisfies MessageRows;
