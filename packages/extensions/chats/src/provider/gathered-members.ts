import { isJsonObject } from '@fossick/api';
import { own, setOwn } from '@fossick/base';
import { MAX_PROVIDER_MEMBERS } from '../limits.js';
import type { Loose } from './chunk.js';
import { tooManyMembers } from './provider-error.js';

/**
 * An object whose members arrive in pieces of a provider's answer. Pieces are merged in place: an answer has a hundred thousand of them.
 * Throws ProviderError for more than MAX_PROVIDER_MEMBERS members, those of nested sums included.
 */
export class GatheredMembers {
  private readonly gathered: Record<string, unknown> = {};
  private count = 0;

  get all(): Loose {
    return this.gathered;
  }

  /** Sets members; later ones replace earlier ones of the same name. */
  set(members: Loose): void {
    for (const [name, value] of Object.entries(members)) this.put(this.gathered, name, value);
  }

  /** Adds numbers, at any depth; anything else but objects is left out. */
  add(members: Loose): void {
    this.addInto(this.gathered, members);
  }

  private addInto(sum: Record<string, unknown>, members: Loose): void {
    for (const [name, value] of Object.entries(members)) {
      const before = own(sum, name);
      if (typeof value === 'number') this.put(sum, name, (typeof before === 'number' ? before : 0) + value);
      else if (isJsonObject(value)) {
        const nested = isJsonObject(before) ? before : {};
        if (nested !== before) this.put(sum, name, nested);
        this.addInto(nested, value);
      }
    }
  }

  private put(target: Record<string, unknown>, name: string, value: unknown): void {
    if (!Object.hasOwn(target, name) && ++this.count > MAX_PROVIDER_MEMBERS) throw tooManyMembers();
    setOwn(target, name, value);
  }
}

/** The token usage of several answers: numbers are added, at any depth. */
export class UsageSum {
  private sum: GatheredMembers | undefined;

  /** Null where nothing was reported. */
  get total(): Loose | null {
    return this.sum?.all ?? null;
  }
  /** @throws ProviderError for too many members */
  add(usage: unknown): void {
    if (!isJsonObject(usage)) return;
    this.sum ??= new GatheredMembers();
    this.sum.add(usage);
  }
}
