/** Conversations that search. */
export { readCompletionRequest } from './chats/conversation/completion-request.js';
export { type ConversationCounter, converse } from './chats/conversation/conversation.js';
export { FacetHints } from './chats/conversation/facet-hints.js';
export { IndexSearches } from './chats/conversation/index-searches.js';
export { type ChatOutcome, OpenConversations } from './chats/conversation/open-conversations.js';
export { SearchLanes } from './chats/conversation/search-lanes.js';
export { wholeAnswer } from './chats/conversation/whole-answer.js';
export { ChatWorkspaces, readChatSettings, shownChatSettings } from './chats/provider/chat-workspaces.js';
export type { Chunk } from './chats/provider/chunk.js';
export { ConversationTurns } from './chats/provider/conversation-turns.js';
export { EventStream } from './chats/provider/event-stream.js';
export { ProviderClient } from './chats/provider/provider-client.js';
