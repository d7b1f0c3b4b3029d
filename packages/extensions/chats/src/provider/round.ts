import { randomUUID } from 'node:crypto';
import { isJsonObject } from '@fossick/api';
import { apiError } from '@fossick/base';
import type { Choice, Chunk, Loose } from './chunk.js';
import { GatheredMembers, UsageSum } from './gathered-members.js';
import { ProviderError } from './provider-error.js';
import type { SpecialCall, ToolCall } from './special-tools.js';

/** Calls of one round, including those of the client's tools: more than any model needs. */
const MAX_CALLS = 128;

interface OpenCall {
  /** Position among the calls of the answer, for a call that the client gets; null for one that is run here. */
  readonly shownIndex: number | null;
  id: string;
  name: string;
  arguments: string;
  /** Members that the provider requires back with the call, such as signatures of thoughts. */
  readonly more: GatheredMembers;
}

/**
 * The common members of the one answer that a client gets, however many rounds it takes: one id, one role, one
 * numbering of calls.
 */
export class AnswerFrame {
  private readonly model: string;
  private readonly id = `chatcmpl-${randomUUID()}`;
  private readonly created = Math.floor(Date.now() / 1000);
  private callCount = 0;
  private isBegun = false;

  constructor(model: string) {
    this.model = model;
  }

  nextCall(): number {
    return this.callCount++;
  }
  /** A chunk of this answer: the provider's own members, with the answer's id and names. */
  chunk(said: Loose, choices: readonly Choice[]): Chunk {
    const { usage: _summed, ...more } = said;
    const model = typeof said['model'] === 'string' ? said['model'] : this.model;
    const begun = choices.map((choice) => ({ ...choice, delta: this.withRole(choice.delta) }));
    return { ...more, id: this.id, object: 'chat.completion.chunk', created: this.created, model, choices: begun };
  }
  /** A chunk that calls a special tool. */
  special({ name, arguments: text }: SpecialCall): Chunk {
    const call = { index: this.nextCall(), id: randomUUID(), type: 'function', function: { name, arguments: text } };
    return this.chunk({}, [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }]);
  }

  /** The role is sent once, in the first chunk. */
  private withRole(delta: Loose): Loose {
    const { role: _said, ...rest } = delta;
    if (this.isBegun) return rest;
    this.isBegun = true;
    return { role: 'assistant', ...rest };
  }
}

/** One request to the provider: passes on what is for the client, collects the calls that are not. */
export class Round {
  private readonly frame: AnswerFrame;
  private readonly isOwn: (name: string) => boolean;
  private readonly calls: { readonly key: unknown; readonly call: OpenCall }[] = [];
  private spoken = '';
  finish: string | null = null;
  private readonly reported = new UsageSum();

  /** @param isOwn whether a tool of this name is the client's */
  constructor(frame: AnswerFrame, isOwn: (name: string) => boolean) {
    this.frame = frame;
    this.isOwn = isOwn;
  }

  /**
   * The part of a chunk for the client; null for nothing. The finish reason is withheld, because another round may
   * follow.
   */
  pass(chunk: Chunk): Chunk | null {
    this.reported.add(chunk['usage']);
    const [choice] = chunk.choices;
    if (choice === undefined) return null;
    this.finish = choice.finish_reason ?? this.finish;
    const { tool_calls: pieces, ...delta } = choice.delta;
    if (typeof delta['content'] === 'string') this.spoken += delta['content'];
    const shown = Array.isArray(pieces) ? pieces.flatMap((piece, at) => this.piece(piece, at)) : [];
    const { role: _role, ...said } = delta;
    const isEmpty = shown.length === 0 && Object.values(said).every((value) => value === null || value === '');
    if (isEmpty) return null;
    const passed = shown.length === 0 ? delta : { ...delta, tool_calls: shown };
    return this.frame.chunk(chunk, [{ ...choice, delta: passed, finish_reason: null }]);
  }

  /** The complete calls that are run here. */
  internalCalls(): ToolCall[] {
    return this.calls.flatMap(({ call }) => {
      if (call.shownIndex !== null) return [];
      const { id, name, arguments: text, more } = call;
      return [{ ...more.all, id, type: 'function' as const, function: { name, arguments: text } }];
    });
  }
  get callsClient(): boolean {
    return this.calls.some(({ call }) => call.shownIndex !== null);
  }
  /** As far as the provider reported it. */
  get usage(): Loose | null {
    return this.reported.total;
  }
  get content(): string | null {
    return this.spoken === '' ? null : this.spoken;
  }

  /** Pieces of a call share an `index`; if a provider omits or repeats it, another id begins another call. */
  private piece(piece: unknown, at: number): Loose[] {
    if (!isJsonObject(piece)) return [];
    const { index = at, id, type: _type, function: named, ...more } = piece;
    const { name, arguments: text } = (isJsonObject(named) ? named : {}) as { name?: unknown; arguments?: unknown };
    const part = typeof text === 'string' ? text : text === undefined || text === null ? '' : JSON.stringify(text);
    const known = this.calls.findLast(({ key }) => key === index)?.call;
    const isNext = known === undefined || (typeof id === 'string' && id !== '' && id !== known.id);
    if (!isNext) {
      known.arguments += part;
      known.more.set(more);
      if (known.shownIndex === null) return [];
      return [{ ...more, index: known.shownIndex, function: { arguments: part } }];
    }
    if (typeof name !== 'string' || name === '')
      throw new ProviderError(apiError('remote_bad_response', 'providerToolWithoutName'));
    if (this.calls.length >= MAX_CALLS)
      throw new ProviderError(apiError('remote_bad_response', 'providerTooManyCalls', MAX_CALLS));
    const call: OpenCall = {
      shownIndex: this.isOwn(name) ? this.frame.nextCall() : null,
      id: typeof id === 'string' && id !== '' ? id : `call_${randomUUID()}`,
      name,
      arguments: part,
      more: new GatheredMembers(),
    };
    call.more.set(more);
    this.calls.push({ key: index, call });
    if (call.shownIndex === null) return [];
    return [{ ...more, index: call.shownIndex, id: call.id, type: 'function', function: { name, arguments: part } }];
  }
}
