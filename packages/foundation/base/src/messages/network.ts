import type { MessageRows } from './message-row.js';

/** Messages of errors of other instances and of providers of chats, by code. */
export const NETWORK_MESSAGES = {
  invalid_network_leader: () => 'A network has no leader here: an instance takes writes by itself. Leave `leader` out.',
  invalid_network_shards: (name: string, remote: string) =>
    `The shard \`${name}\` names \`${remote}\`, which is not a configured remote.`,
  invalid_network_url: (name: string) => `The remote \`${name}\` needs a \`url\`, not null.`,
  missing_network_url: (name: string) => `The new remote \`${name}\` has no \`url\`.`,
  proxy_could_not_send_request: {
    notSent: (reason: string) => `The search could not be sent: ${reason}.`,
    privateNetwork: (host: string) =>
      `\`${host}\` is on a private network, which only \`--experimental-allowed-ip-networks\` opens.`,
  },
  remote_bad_request: {
    search: (status: number, text: string) =>
      `The remote refused the search with status ${status}: ${text}\nLook at the settings of its index, and whether its experimental feature \`network\` is on.`,
    provider: (status: number, said: string) => `The provider refused the request with status ${status}${said}`,
  },
  remote_bad_response: {
    otherVersion: (message: string) => `${message} The remote has to run the same version as this instance.`,
    tooLarge: (limitBytes: number) =>
      `The answer of the remote is larger than ${limitBytes} bytes: ask for fewer hits or attributes, or raise \`--remote-answer-size-limit\`.`,
    providerStatus: (status: number) =>
      `The provider answered with status ${status}, which is neither an answer nor followed: let \`baseUrl\` name the final address.`,
    providerNoCompletion: (excerpt: string) => `The provider sent no chat completion: ${excerpt}`,
    providerTooManyBytes: (maxBytes: number) => `The provider sent no chat completion: more than ${maxBytes} bytes`,
    providerToolWithoutName: () => 'The provider sent no chat completion: a call of a tool without its name',
    providerTooManyParts: (maxCount: number) =>
      `The provider sent no chat completion: more than ${maxCount} values in one piece`,
    providerTooManyMembers: (maxCount: number) =>
      `The provider sent no chat completion: more than ${maxCount} members of one object`,
    providerTooManyCalls: (maxCount: number) =>
      `The provider sent no chat completion: more than ${maxCount} calls of tools`,
    providerBrokeOff: (reason: string) => `The answer of the provider broke off: ${reason}.`,
    providerEndedEarly: () => 'The answer of the provider broke off: it ended before its end.',
    searchesWithoutAnswer: (count: number) => `The model asked for searches ${count} times and gave no answer.`,
  },
  remote_could_not_send_request: {
    unreachable: (reason: string) => `The provider cannot be reached: ${reason}.`,
    notHttp: () => 'The provider cannot be reached: `baseUrl` is not an http or https address.',
    privateNetwork: (hostname: string) =>
      `The provider cannot be reached: \`${hostname}\` is on a private network, which only \`--experimental-allowed-ip-networks\` opens.`,
  },
  remote_invalid_api_key: {
    search: () =>
      'The remote refused the `searchApiKey` of the network object: it has to be a key of the remote with the action `search`, and with `documents.get` where documents are read.',
    provider: (status: number, said: string) =>
      `The provider refused the \`apiKey\` of the workspace with status ${status}${said}`,
  },
  remote_remote_error: {
    search: (status: number, text: string) => `The remote failed with status ${status}: ${text}`,
    provider: (status: number, said: string) => `The provider failed with status ${status}${said}`,
    providerReported: (text: string) => `The provider broke off: ${text}`,
  },
  remote_timeout: {
    search: () => 'The remote did not answer in time.',
    providerSilent: (seconds: number) => `The provider sent nothing for ${seconds} s.`,
    conversation: (seconds: number) => `The conversation took more than ${seconds} s.`,
    stopping: () => 'The server is stopping.',
  },
  remote_too_many_requests: (said: string) => `The provider takes no more requests for now${said}`,
} satisfies MessageRows;
