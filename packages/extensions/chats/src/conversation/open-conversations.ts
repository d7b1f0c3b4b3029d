import { type ApiError, apiError } from '@fossick/base';
import type { ExtensionRequest } from '@fossick/runtime/extension';
import { ProviderError } from '../provider/provider-error.js';

/** How a conversation ended: with an answer, with an error, or because its client left. */
export type ChatOutcome = 'answered' | 'failed' | 'left';

export interface ConversationEnd {
  readonly outcome: ChatOutcome;
  readonly seconds: number;
}
export interface OpenConversation {
  /** Aborted when the client leaves, at the time limit, and when the server stops. */
  readonly signal: AbortSignal;
  /** Ends it with this error. */
  end(reason: ApiError): void;
  /** Passes the items on as long as it may go on, and detects how they end; to be called once. */
  over<T>(items: AsyncGenerator<T>, mayGoOn?: () => boolean): AsyncGenerator<T>;
}

/** Running conversations: limited in number and time, each ended as soon as nobody waits for it. */
export class OpenConversations {
  private readonly open = new Set<AbortController>();
  private readonly limits: { readonly count: number; readonly timeMs: number };

  constructor(limits: { readonly count: number; readonly timeMs: number }) {
    this.limits = limits;
  }
  get count(): number {
    return this.open.size;
  }

  /** @throws ApiError too_many_search_requests */
  begin(response: ReturnType<ExtensionRequest['untilLeft']>, onEnd: (end: ConversationEnd) => void): OpenConversation {
    if (this.open.size >= this.limits.count)
      throw apiError('too_many_search_requests', 'conversations', this.open.size);
    const startedMs = performance.now();
    const control = new AbortController();
    this.open.add(control);
    let outcome: ChatOutcome = 'left';
    const timer = setTimeout(() => control.abort(timeIsOver(this.limits.timeMs)), this.limits.timeMs);
    const end = (): void => {
      if (!this.open.delete(control)) return;
      clearTimeout(timer);
      response.off('close', left);
      onEnd({ outcome, seconds: (performance.now() - startedMs) / 1000 });
    };
    // a conversation whose answer is never passed on ends with its connection
    const left = (): void => {
      control.abort(apiError('bad_request', 'clientLeft'));
      end();
    };
    response.once('close', left);
    return {
      signal: control.signal,
      end: (reason) => control.abort(new ProviderError(reason)),
      async *over(items, mayGoOn) {
        try {
          for await (const item of items) {
            // the answer to false is an abort
            mayGoOn?.();
            control.signal.throwIfAborted();
            yield item;
          }
          outcome = 'answered';
        } catch (error) {
          if (!response.destroyed) outcome = 'failed';
          throw error;
        } finally {
          end();
        }
      },
    };
  }

  /** Ends all of them. */
  stop(): void {
    const reason = new ProviderError(apiError('remote_timeout', 'stopping'));
    for (const control of this.open) control.abort(reason);
  }
}

const timeIsOver = (milliseconds: number): ProviderError =>
  new ProviderError(apiError('remote_timeout', 'conversation', Math.round(milliseconds / 1000)));
