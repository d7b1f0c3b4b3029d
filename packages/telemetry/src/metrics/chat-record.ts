import type { ChatOutcome } from '@fossick/chats';

/** What is counted of one conversation when it is over. */
export interface ChatRecord {
  readonly workspace: string;
  readonly source: string;
  /** As the request named it. */
  readonly model: string;
  readonly outcome: ChatOutcome;
  readonly seconds: number;
  readonly roundCount: number;
  readonly searchCount: number;
  /** Null where the provider did not say. */
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
}
