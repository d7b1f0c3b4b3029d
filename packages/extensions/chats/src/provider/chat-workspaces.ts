import type { Received } from '@fossick/api';
import { apiError, own } from '@fossick/base';
import type { InstanceValues } from '@fossick/instance';
import { VALUE_NAME } from '../chats-in-dumps.js';
import type { ChatSettingsAnswer } from '../description.js';
import type { CHAT_SETTINGS_BODY } from '../requests.js';

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
export interface ChatSettings extends ChatSettingsAnswer {
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

export type ChatSettingsChange = Received<typeof CHAT_SETTINGS_BODY>;

/** The settings that a source requires. */
const NEEDS: Readonly<Record<string, readonly (keyof ChatSettings)[]>> = {
  azureOpenAi: ['baseUrl', 'deploymentId', 'orgId', 'apiVersion'],
  vLlm: ['baseUrl'],
};

/** The settings in answers: everything but the key, which can only be written. */
export function shownChatSettings(settings: ChatSettings): ChatSettingsAnswer {
  const { apiKey: _hidden, ...shown } = settings;
  return shown;
}

type Stored = Readonly<Record<string, ChatSettings>>;

/** The chat workspaces of the instance, each with its settings. */
export class ChatWorkspaces {
  private readonly values: Pick<InstanceValues, 'get' | 'change'>;

  constructor(values: Pick<InstanceValues, 'get' | 'change'>) {
    this.values = values;
  }

  /** In byte order. */
  uids(): string[] {
    return Object.keys(this.all()).sort();
  }

  /** Throws chat_not_found. */
  required(uid: string): ChatSettings {
    const settings = completed(this.all(), uid);
    if (settings === undefined) throw apiError('chat_not_found', uid);
    return settings;
  }

  /**
   * Merges a change, creating the workspace when there is none. Throws bad_request when the source lacks a required
   * setting.
   */
  change(uid: string, change: ChatSettingsChange): Promise<ChatSettings> {
    return this.put(uid, (before) => merged(before, change));
  }

  async reset(uid: string): Promise<ChatSettings> {
    return this.put(uid, () => DEFAULTS);
  }

  /** Resolves with whether the workspace existed. */
  async remove(uid: string): Promise<boolean> {
    let wasThere = false;
    await this.values.change(VALUE_NAME, (stored) => {
      const all = new Map(Object.entries((stored ?? {}) as Stored));
      wasThere = all.delete(uid);
      return wasThere ? Object.fromEntries(all) : stored;
    });
    return wasThere;
  }

  private async put(uid: string, next: (before: ChatSettings) => ChatSettings): Promise<ChatSettings> {
    let settings = DEFAULTS;
    await this.values.change(VALUE_NAME, (stored) => {
      const all = (stored ?? {}) as Stored;
      settings = next(completed(all, uid) ?? DEFAULTS);
      return { ...all, [uid]: settings };
    });
    return settings;
  }

  private all(): Stored {
    return (this.values.get(VALUE_NAME) ?? {}) as Stored;
  }
}

/** The settings of a workspace, with those that were stored by an earlier version; undefined when there is none. */
function completed(all: Stored, uid: string): ChatSettings | undefined {
  const stored = own(all, uid);
  if (stored === undefined) return undefined;
  return { ...DEFAULTS, ...stored, prompts: { ...DEFAULT_PROMPTS, ...stored.prompts } };
}

/** Settings after a change. Throws bad_request when the source lacks a required setting. */
function merged(before: ChatSettings, { prompts: changed, ...others }: ChatSettingsChange): ChatSettings {
  const whole = {
    ...before,
    ...others,
    source: others.source === null ? DEFAULTS.source : (others.source ?? before.source),
  };
  const texts = Object.entries(changed ?? {}).map(([name, text]) => [
    name,
    text ?? DEFAULT_PROMPTS[name as PromptName],
  ]);
  const after: ChatSettings = {
    ...whole,
    prompts: changed === null ? DEFAULT_PROMPTS : { ...before.prompts, ...Object.fromEntries(texts) },
  };
  const lacking = own(NEEDS, after.source)?.find(
    (name) => after[name] === null || (name === 'baseUrl' && after[name] === ''),
  );
  if (lacking !== undefined) throw apiError('bad_request', 'incompleteSource', after.source, lacking);
  return after;
}
