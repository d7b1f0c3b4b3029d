import { ApiError, apiError } from '@fossick/base';
import { type Access, storedScope } from '@fossick/instance/access';

/** Milliseconds after which a clock that was set is noticed, at the latest. */
const LOOK_MS = 15_000;

/** What rights depend on, with notices of its changes. */
export interface RightSources {
  readonly guard: {
    expiryOf(authorization: string | undefined): number;
    onChange(listener: () => void): Disposable;
  };
  readonly features: { onChange(listener: () => void): Disposable };
}

export interface LastingRightOptions {
  readonly authorization: string | undefined;
  /** Checks everything that the answer needs; returns the rights that it uses. Throws ApiError. */
  readonly check: () => readonly (Access | undefined)[];
  /** Called once, as soon as the right is gone, with the reason. */
  readonly onLost: (reason: ApiError) => void;
}

/**
 * The right to an answer that goes on for long. It is gone when its check fails or gives other rights, which is looked at
 * after each change of keys and features, and when the key or token expires.
 */
export class LastingRight implements Disposable {
  private readonly options: LastingRightOptions;
  private readonly rights: string;
  private readonly expiryMs: number;
  private readonly listening: readonly Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;

  /** Throws what the check throws. */
  constructor({ guard, features }: RightSources, options: LastingRightOptions) {
    this.options = options;
    this.rights = textOf(options.check());
    this.expiryMs = guard.expiryOf(options.authorization);
    const look = (): void => this.look();
    this.listening = [guard.onChange(look), features.onChange(look)];
    this.arm();
  }

  /** Whether it still holds; asked before each piece of the answer. */
  holds(): boolean {
    if (!this.isOver && Date.now() >= this.expiryMs) this.look();
    return !this.isOver;
  }

  [Symbol.dispose](): void {
    this.isOver = true;
    clearTimeout(this.timer);
    for (const each of this.listening) each[Symbol.dispose]();
  }

  private look(): void {
    if (this.isOver) return;
    try {
      if (textOf(this.options.check()) !== this.rights) throw apiError('invalid_api_key', 'changed');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this[Symbol.dispose]();
      this.options.onLost(error);
    }
  }

  private arm(): void {
    if (this.expiryMs === Number.POSITIVE_INFINITY) return;
    const waitMs = Math.min(Math.max(this.expiryMs - Date.now(), 1), LOOK_MS);
    this.timer = setTimeout(() => {
      if (this.holds()) this.arm();
    }, waitMs);
    this.timer.unref();
  }
}

/** Rights that allow the same have the same text. */
function textOf(rights: readonly (Access | undefined)[]): string {
  return JSON.stringify(rights.map((access) => access && (storedScope(access.scope) ?? 'all')));
}
