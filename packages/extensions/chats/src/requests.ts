import { apiError } from '@fossick/base';
import {
  checked,
  choice,
  exampleText,
  flag,
  kindOf,
  listOf,
  objectOf,
  optional,
  type Parser,
  parsers,
  required,
  text,
  type Where,
  wrongType,
  wrongValue,
} from '@fossick/base/contract';

const prompt = (name: string) => text(`What the model is told (${name}).`);
const PROMPTS = {
  system: optional('invalid_chat_completion_system_prompt', prompt('system')),
  searchDescription: optional('invalid_chat_completion_search_description_prompt', prompt('searchDescription')),
  searchQParam: optional('invalid_chat_completion_search_query_param_prompt', prompt('searchQParam')),
  searchFilterParam: optional('invalid_chat_completion_search_filter_param_prompt', prompt('searchFilterParam')),
  searchIndexUidParam: optional('invalid_chat_completion_search_index_uid_param_prompt', prompt('searchIndexUidParam')),
};
/** Whether a text is an address of HTTP, with or without TLS. */
export function isAddress(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

const parseBase: Parser<string> = (value, where) => {
  const given = parsers.string(value, where);
  if (given !== '' && !isAddress(given)) throw wrongValue(where, `\`${given}\` is not an address of HTTP.`);
  return given;
};
/** Body of a change of the settings of a workspace. */
export const CHAT_SETTINGS_BODY = {
  source: optional(
    'bad_request',
    choice(['openAi', 'azureOpenAi', 'mistral', 'gemini', 'vLlm'], 'Whose model answers.'),
    'openAi',
  ),
  orgId: optional('invalid_chat_completion_org_id', text('Organisation.')),
  projectId: optional('invalid_chat_completion_project_id', text('Project.')),
  apiVersion: optional('invalid_chat_completion_api_version', text('Version of the API.')),
  deploymentId: optional('invalid_chat_completion_deployment_id', text('Deployment.')),
  baseUrl: optional(
    'invalid_chat_completion_base_api',
    checked(
      exampleText('Address of the provider; an empty one is that of the vendor.', 'https://api.example.com/v1'),
      parseBase,
    ),
  ),
  apiKey: optional('invalid_chat_completion_api_key', text('Key of the provider. No answer holds it.')),
  prompts: optional('bad_request', objectOf(PROMPTS, { hasPlainCode: true })),
};

type Loose = Record<string, unknown>;
const role = choice(['system', 'developer', 'user', 'assistant', 'tool', 'function']);
const calls = parsers.listOf(parsers.object);

/** A message of a conversation: a provider checks the members that are not listed in its schema. */
const parseMessage: Parser<Loose> = (value, where) => {
  const given = parsers.object(value, where);
  const at = (name: string): Where => ({ ...where, path: `${where.path}.${name}` });
  const missing = (name: string) => apiError('bad_request', 'missingField', name, ` inside \`${where.path}\``);
  if (!Object.hasOwn(given, 'role')) throw missing('role');
  role.parse(given['role'], at('role'));
  const { content, tool_calls: toolCalls } = given;
  if (content === undefined && toolCalls === undefined && given['function_call'] === undefined)
    throw missing('content');
  if (content !== undefined && content !== null && typeof content !== 'string' && !Array.isArray(content))
    throw wrongType(at('content'), 'a string or an array of parts', content);
  if (toolCalls !== undefined && toolCalls !== null) calls(toolCalls, at('tool_calls'));
  return given;
};
const message = kindOf(
  parseMessage,
  {
    type: 'object',
    properties: { role: role.schema, content: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    required: ['role', 'content'],
    additionalProperties: {},
  },
  'a message with `role` and `content`',
);
const parseOne: Parser<number> = (value, where) => {
  const choices = parsers.integer(value, where);
  if (choices !== 1) throw apiError('unimplemented_multi_choice_chat_completions');
  return choices;
};
const one = kindOf(parseOne, { type: 'number', const: 1 }, '1');
/** Body of a completion, as far as this server reads it; the provider takes any other member. */
export const COMPLETION_BODY = {
  model: required('bad_request', text('Name of the model.', 'gpt-4o'), 'bad_request'),
  messages: required('bad_request', listOf(message), 'bad_request'),
  stream: optional('bad_request', flag('Answer piece by piece.'), true),
  n: optional('bad_request', one),
};
