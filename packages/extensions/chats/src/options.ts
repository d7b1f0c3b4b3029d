import { bytesOption, integerOption, type OptionGroup, type OptionValues } from '@fossick/instance';
import {
  DEFAULT_CHAT_DOCUMENTS,
  DEFAULT_CHAT_KEEP_ALIVE_SECONDS,
  DEFAULT_CHAT_ROUNDS,
  DEFAULT_CHAT_SECONDS,
  DEFAULT_CHAT_TEXT_BYTES,
  DEFAULT_PROVIDER_ANSWER_BYTES,
  DEFAULT_PROVIDER_SILENCE_SECONDS,
  MAX_CONVERSATIONS,
} from './limits.js';

export const CHAT_OPTIONS: OptionGroup = {
  title: 'Conversations',
  options: [
    integerOption('chat-max-conversations', 'conversations at the same time', MAX_CONVERSATIONS),
    integerOption('chat-max-rounds', 'requests of one conversation to its provider at most', DEFAULT_CHAT_ROUNDS),
    integerOption(
      'chat-max-documents',
      'documents that one search of a conversation gives to the model',
      DEFAULT_CHAT_DOCUMENTS,
    ),
    bytesOption('chat-max-text-size', 'size of their texts together', DEFAULT_CHAT_TEXT_BYTES),
    integerOption('chat-provider-timeout', 'seconds that a provider may be silent', DEFAULT_PROVIDER_SILENCE_SECONDS),
    integerOption(
      'chat-keep-alive',
      'seconds of silence after which a stream gets a comment',
      DEFAULT_CHAT_KEEP_ALIVE_SECONDS,
    ),
    integerOption('chat-timeout', 'seconds that a conversation may take', DEFAULT_CHAT_SECONDS),
    bytesOption('chat-provider-answer-size-limit', 'largest answer of a provider', DEFAULT_PROVIDER_ANSWER_BYTES),
  ],
};

/** Limits of conversations. */
export type ChatOptions = ReturnType<typeof readChatOptions>;

/** Throws OptionError. */
export function readChatOptions(values: OptionValues) {
  const integer = (flag: string): number => values.integer(flag)!;
  return {
    maxRounds: Math.max(1, integer('chat-max-rounds')),
    /** What one search gives to the model: documents, and bytes of their texts. */
    bounds: { documents: integer('chat-max-documents'), textBytes: values.bytes('chat-max-text-size')! },
    /** Of a provider, without a byte. */
    silenceMs: integer('chat-provider-timeout') * 1000,
    /** Of a whole conversation. */
    timeMs: integer('chat-timeout') * 1000,
    /** Of an answer of a provider. */
    answerBytes: values.bytes('chat-provider-answer-size-limit')!,
    /** Of silence in a stream, after which its client gets a comment. */
    keepAliveMs: Math.max(1, integer('chat-keep-alive')) * 1000,
    /** Concurrent conversations. */
    count: integer('chat-max-conversations'),
  };
}
