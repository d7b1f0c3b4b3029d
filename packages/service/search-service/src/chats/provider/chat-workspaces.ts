import { oneOf, optional, type Parser, type Received, readFields, string } from '@fossick/api';
import { apiError, type ErrorCode, type ErrorCodeAfter, own } from '@fossick/base';
import { type InstanceValues, VALUE_NAMES } from '@fossick/instance';

/** Default prompts of a workspace. */
const DEFAULT_PROMPTS = {
  system:
    'You are an assistant of a search engine. Answer from the documents that your searches find, in the language of ' +
    'the question, and say so when they hold no answer.',
  searchDescription: 'Searches the documents of one index and answers the ones that fit best.',
  searchQParam: 'The words to search for: short, without filler, in the language of the documents.',
  searchFilterParam: 'A filter expression over the attributes that the index can filter by, or an empty string.',
  searchIndexUidParam: 'The uid of the index to search in.',
} as const;
type PromptName = keyof typeof DEFAULT_PROMPTS;

/** Settings of one workspace as stored: the key is not masked, null where nothing was given. */
export interface ChatSettings {
  readonly source: string;
  readonly orgId: string | null;
  readonly projectId: string | null;
  readonly apiVersion: string | null;
  readonly deploymentId: string | null;
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
  readonly prompts: Readonly<Record<PromptName, string>>;
}
const DEFAULTS: ChatSettings = {
  source: 'openAi',
  orgId: null,
  projectId: null,
  apiVersion: null,
  deploymentId: null,
  baseUrl: null,
  apiKey: null,
  prompts: DEFAULT_PROMPTS,
};

const code = (name: ErrorCodeAfter<'invalid_chat_completion_'>): ErrorCode => `invalid_chat_completion_${name}`;
const PROMPTS = {
  system: optional(code('system_prompt'), string),
  searchDescription: optional(code('search_description_prompt'), string),
  searchQParam: optional(code('search_query_param_prompt'), string),
  searchFilterParam: optional(code('search_filter_param_prompt'), string),
  searchIndexUidParam: optional(code('search_index_uid_param_prompt'), string),
};
const prompts: Parser<Received<typeof PROMPTS>> = (value, where) => readFields(value, PROMPTS, {}, where.path);
const FIELDS = {
  source: optional('bad_request', oneOf('openAi', 'azureOpenAi', 'mistral', 'gemini', 'vLlm')),
  orgId: optional(code('org_id'), string),
  projectId: optional(code('project_id'), string),
  apiVersion: optional(code('api_version'), string),
  deploymentId: optional(code('deployment_id'), string),
  baseUrl: optional(code('base_api'), string),
  apiKey: optional(code('api_key'), string),
  prompts: optional('bad_request', prompts),
};
export type ChatSettingsChange = Received<typeof FIELDS>;

/** The settings that a source requires. */
const NEEDS: Readonly<Record<string, readonly (keyof ChatSettings)[]>> = {
  azureOpenAi: ['baseUrl', 'deploymentId', 'orgId', 'apiVersion'],
  vLlm: ['baseUrl'],
};

/** Reads a change of chat settings; throws the code of the invalid member. */
export function readChatSettings(body: unknown): ChatSettingsChange {
  return readFields(body, FIELDS);
}

/** The settings in answers: everything but the key, which can only be written. */
export function shownChatSettings(settings: ChatSettings): object {
  const { apiKey: _hidden, ...shown } = settings;
  return shown;
}

/** The chat workspaces of the instance, each with its settings. */
export class ChatWorkspaces {
  private readonly values: InstanceValues;

  constructor(values: InstanceValues) {
    this.values = values;
  }

  /** In byte order. */
  uids(): string[] {
    return Object.keys(this.all()).sort();
  }

  get(uid: string): ChatSettings | undefined {
    const all = this.all();
    const stored = own(all, uid);
    if (stored === undefined) return undefined;
    return { ...DEFAULTS, ...stored, prompts: { ...DEFAULT_PROMPTS, ...stored.prompts } };
  }

  /**
   * Merges a change, creating the workspace when there is none. Throws bad_request when the source lacks a required
   * setting.
   */
  change(uid: string, { prompts: changed, ...others }: ChatSettingsChange): ChatSettings {
    const before = this.get(uid) ?? DEFAULTS;
    const merged = {
      ...before,
      ...others,
      source: others.source === null ? DEFAULTS.source : (others.source ?? before.source),
    };
    const texts = Object.entries(changed ?? {}).map(([name, text]) => [
      name,
      text ?? DEFAULT_PROMPTS[name as PromptName],
    ]);
    const after: ChatSettings = {
      ...merged,
      prompts: changed === null ? DEFAULT_PROMPTS : { ...before.prompts, ...Object.fromEntries(texts) },
    };
    const lacking = own(NEEDS, after.source)?.find((name) => after[name] === null);
    if (lacking !== undefined) throw apiError('bad_request', 'incompleteSource', after.source, lacking);
    return this.put(uid, after);
  }

  reset(uid: string): ChatSettings {
    return this.put(uid, DEFAULTS);
  }

  /** Returns whether the workspace existed. */
  remove(uid: string): boolean {
    const all = new Map(Object.entries(this.all()));
    const wasThere = all.delete(uid);
    if (wasThere) this.values.put(VALUE_NAMES.chats, Object.fromEntries(all));
    return wasThere;
  }

  private put(uid: string, settings: ChatSettings): ChatSettings {
    this.values.put(VALUE_NAMES.chats, { ...this.all(), [uid]: settings });
    return settings;
  }

  private all(): Readonly<Record<string, ChatSettings>> {
    return (this.values.get(VALUE_NAMES.chats) ?? {}) as Record<string, ChatSettings>;
  }
}
