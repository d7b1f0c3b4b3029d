import type { Extension } from '@fossick/runtime/extension';
import { CHAT_OPTIONS, readChatOptions } from './options.js';

/** Conversations. All else of this package is loaded by `open`, by dumps and by moves. */
export const chats: Extension = {
  name: 'chats',
  options: CHAT_OPTIONS,
  archived: new URL('./chats-in-dumps.js', import.meta.url),
  move: async (move) => (await import('./move-chats.js')).moveChats(move),
  configure(values) {
    const options = readChatOptions(values);
    return { open: async (host) => (await import('./open-chats.js')).openChats(options, host) };
  },
};
