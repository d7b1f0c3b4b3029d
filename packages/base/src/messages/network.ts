import type { MessageRows } from './message-row.js';

/** Messages of errors of the network, by code. */
export const NETWORK_MESSAGES = {
  invalid_network_shards: {
    message: (name: string, remote: string) => `The shard \`${name}\` names \`${remote}\`, which is no remote.`,
  },
  invalid_network_url: {
    message: (name: string) => `The remote \`${name}\` needs a \`url\`, not null.`,
  },
  missing_network_url: {
    message: (name: string) => `The new remote \`${name}\` has no \`url\`.`,
  },
  remote_bad_request: {
    message: (status: number, text: string) =>
      `The remote refused the search with status ${status}: ${text}\nLook at the settings of its index, and whether its experimental feature \`network\` is on.`,
  },
  remote_bad_response: {
    messages: {
      otherVersion: (message: string) => `${message} The remote has to run the same version as this instance.`,
      tooLarge: (limitBytes: number) =>
        `The answer of the remote is larger than ${limitBytes} bytes: ask for fewer hits or attributes, or raise \`--remote-answer-size-limit\`.`,
    },
  },
  remote_invalid_api_key: {
    message: () =>
      'The remote refused the `searchApiKey` of the network object: it has to be a key of the remote with the action `search`, and with `documents.get` where documents are read.',
  },
  remote_remote_error: {
    message: (status: number, text: string) => `The remote failed with status ${status}: ${text}`,
  },
  remote_timeout: {
    message: () => 'The remote did not answer in time.',
  },
  requires_enterprise_edition: {
    message: (what: string) => `${what} belongs to the enterprise edition of the reference engine.`,
  },
} satisfies MessageRows;
