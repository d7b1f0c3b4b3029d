import type { ChatOutcome } from '@fossick/search-service/chats';

/** The figures of one finished conversation. */
export interface ChatRecord {
  readonly workspace: string;
  readonly source: string;
  /** The name in the request. */
  readonly model: string;
  readonly outcome: ChatOutcome;
  readonly seconds: number;
  readonly roundCount: number;
  readonly searchCount: number;
  /** Null where the provider did not report it. */
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
}
