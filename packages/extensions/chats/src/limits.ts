/**
 * Conversations under way at the same time. Each holds its messages, a connection to its client and one to its provider; a thousand of
 * them stay within the files that a process may open by default (1,024 soft limits are raised by Node), and within some 100 MB.
 */
export const MAX_CONVERSATIONS = 1_000;
/** Rounds of one conversation with its provider, when the operator says nothing. */
export const DEFAULT_CHAT_ROUNDS = 20;
/** Documents that one search of a conversation gives to the model: what a page of hits has. */
export const DEFAULT_CHAT_DOCUMENTS = 20;
/** Bytes of their texts: some 16,000 tokens, an eighth of what models commonly take at once. */
export const DEFAULT_CHAT_TEXT_BYTES = 1 << 16;
/** Seconds without a byte from a provider: models that think before they answer are silent for a minute and more. */
export const DEFAULT_PROVIDER_SILENCE_SECONDS = 120;
/** Seconds of silence in a stream of a conversation: proxies commonly end connections after 30 to 60 s without a byte. */
export const DEFAULT_CHAT_KEEP_ALIVE_SECONDS = 15;
/** Seconds of a whole conversation: several rounds of such a model. */
export const DEFAULT_CHAT_SECONDS = 600;
/** Bytes of one answer of a provider: a thousand times what people read. */
export const DEFAULT_PROVIDER_ANSWER_BYTES = 16 * 2 ** 20;

/** Values of the body of a conversation, counted as those of media: they are read and sent to a provider in the thread of requests. */
export const MAX_CHAT_VALUES = 50_000;
/**
 * Values in one piece of a provider's answer, and in an answer that is not streamed: parsed and written in 150 ms at most. A token with
 * its twenty likeliest alternatives has about 170.
 */
export const MAX_PROVIDER_PARTS = 200_000;
/** Members of one object of a provider's answer, such as its usage or one call of a tool, in one piece or added up from many: providers send about ten. */
export const MAX_PROVIDER_MEMBERS = 256;
