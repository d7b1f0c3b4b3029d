import { isJsonObject } from '@fossick/api';
import { toJsonText } from '@fossick/documents';
import type { Loose } from './chunk.js';

/** The model's search tool. */
export const SEARCH_TOOL = '_serviceSearchInIndex';
const OLDER_SEARCH_TOOL = '_meiliSearchInIndex';
/** Names that clients may not declare, because these tools are run here. */
export const INTERNAL_TOOLS: readonly string[] = [SEARCH_TOOL, OLDER_SEARCH_TOOL];

/** Events for a client that declares the corresponding tool. */
export type SpecialKind = 'progress' | 'append' | 'sources';
const NAMES: Readonly<Record<SpecialKind, readonly [own: string, older: string]>> = {
  progress: ['_serviceSearchProgress', '_meiliSearchProgress'],
  append: ['_serviceAppendConversationMessage', '_meiliAppendConversationMessage'],
  sources: ['_serviceSearchSources', '_meiliSearchSources'],
};
const KINDS = Object.keys(NAMES) as SpecialKind[];
const SPECIAL_NAMES = new Set(Object.values(NAMES).flat());

/** Whether a tool of this name is only for the client, and not sent to providers. */
export function isSpecialTool(name: unknown): boolean {
  return typeof name === 'string' && SPECIAL_NAMES.has(name);
}

/** A call of a special tool, which informs the client. Arguments are JSON text. */
export interface SpecialCall {
  readonly name: string;
  readonly arguments: string;
}
/** A call of the model, as chat completions write it. */
export interface ToolCall extends Loose {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

interface Declaration {
  readonly name: string;
  readonly isOlder: boolean;
  /** The JSON schemas of its arguments, as far as the client gave them. */
  readonly properties: Loose;
}

/**
 * The special tools that a client declared. Each call is `null` where the client did not declare its tool. Arguments
 * have the API's names, or the older ones for a tool declared by its older name.
 */
export class SpecialTools {
  private readonly declared: Readonly<Partial<Record<SpecialKind, Declaration>>>;

  /** @param functions the `function` members of all declared tools */
  constructor(functions: readonly Loose[]) {
    const entries = KINDS.flatMap((kind): [SpecialKind, Declaration][] => {
      const name = NAMES[kind].find((each) => functions.some((declared) => declared['name'] === each));
      if (name === undefined) return [];
      const { parameters } = functions.find((declared) => declared['name'] === name)!;
      const properties = isJsonObject(parameters) ? parameters['properties'] : undefined;
      return [
        [kind, { name, isOlder: name === NAMES[kind][1], properties: isJsonObject(properties) ? properties : {} }],
      ];
    });
    this.declared = Object.fromEntries(entries);
  }

  get appends(): boolean {
    return this.declared.append !== undefined;
  }

  /** A search is about to run. */
  progress({ id, function: { name, arguments: text } }: ToolCall): SpecialCall | null {
    const tool = this.declared.progress;
    if (tool === undefined) return null;
    const named = tool.isOlder
      ? { function_name: name === SEARCH_TOOL ? OLDER_SEARCH_TOOL : name, function_arguments: text }
      : { function_name: name, function_parameters: text };
    return call(tool, { call_id: id, ...named });
  }

  /** The model has called a tool: the client keeps this for later requests. */
  appendCalls(content: string | null, calls: readonly ToolCall[]): SpecialCall | null {
    const tool = this.declared.append;
    return tool === undefined ? null : call(tool, { role: 'assistant', content: content ?? '', tool_calls: calls });
  }

  /**
   * The search result for the model. The role is one that the client's declaration allows; requests may contain either.
   */
  appendResult(id: string, content: string): SpecialCall | null {
    const tool = this.declared.append;
    if (tool === undefined) return null;
    const role = tool.properties['role'];
    const allowed = isJsonObject(role) && Array.isArray(role['enum']) ? (role['enum'] as readonly unknown[]) : ['tool'];
    return call(tool, { role: allowed.includes('tool') ? 'tool' : 'user', content, tool_call_id: id });
  }

  /**
   * The documents that the model got: a list, or an object by position where the client declares `documents` as an
   * object.
   */
  sources(id: string, documents: readonly unknown[]): SpecialCall | null {
    const tool = this.declared.sources;
    if (tool === undefined) return null;
    if (tool.isOlder) return call(tool, { call_id: id, sources: documents });
    const declared = tool.properties['documents'];
    const isObject = isJsonObject(declared) && declared['type'] === 'object';
    return call(tool, { call_id: id, documents: isObject ? { ...documents } : documents });
  }
}

function call({ name }: Declaration, values: object): SpecialCall {
  return { name, arguments: toJsonText(values) };
}
