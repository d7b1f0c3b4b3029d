import { type ProseTable, parameterProse, prose, reserved } from './prose.js';

const PAGE = { offset: ['offset', 'a non-negative integer'], limit: ['limit', 'a non-negative integer'] } as const;

/** Several instances together. */
export const NETWORK_PROSE: ProseTable = {
  ...parameterProse('invalid_network_', 'of the network', {
    self: ['self', 'the name of this instance, or null'],
    remotes: ['remotes', 'an object of remotes by their names, or null'],
    shards: ['shards', 'an object of shards by their names, or null'],
    leader: ['leader', 'the name of a remote, or null'],
    url: ['url', 'the absolute address of a remote, with `http` or `https`'],
    search_api_key: ['searchApiKey', 'a string or null'],
    write_api_key: ['writeApiKey', 'a string or null'],
  }),
  missing_network_url: prose(
    'A new remote has no address.',
    'A name that is not yet among the remotes was sent without `url`.',
    'Add `url`, or correct the name.',
  ),
  unexpected_network_previous_remotes: prose(
    '`previousRemotes` is not for clients.',
    'The body of a network update holds a field that instances send each other.',
    'Leave it out.',
  ),
  not_leader: reserved(
    'The instance takes no writes.',
    'Where a network has a leader, only that one takes writes.',
    'Send the request to the leader.',
  ),
  unknown_remote: reserved(
    'A query names a remote that the network does not have.',
    'Other instances answer this for a name in `federationOptions.remote`; here it is `invalid_multi_search_remote`.',
    'Use a name of `GET /network`.',
  ),
  remote_bad_request: prose(
    'A remote, or the provider of a conversation, refused what it was sent.',
    'The settings of its index differ, or it is of another release; a provider does not know the model or a parameter. The message holds what it said.',
    'Bring the settings of all instances to the same state; correct the `model` of the conversation.',
  ),
  remote_invalid_api_key: prose(
    'A remote, or the provider of a conversation, refused the key that it was sent.',
    'Its `searchApiKey` or `writeApiKey` in the network is wrong, expired, or lacks the action; or it is the `apiKey` of a chat workspace.',
    'Correct the key with `PATCH /network`, or in the settings of the workspace.',
  ),
  remote_bad_response: prose(
    'A remote, or the provider of a conversation, answered something that is no answer.',
    'At its address there is something else, or a proxy answered in its place.',
    'Check the `url` of the remote, or the `baseUrl` of the workspace.',
  ),
  remote_could_not_send_request: prose(
    'The provider of a conversation could not be reached.',
    'No connection came about: name, address, port or certificate are wrong, it is off, or on a private network that the operator has not opened. For the remotes of a search, the code is `proxy_could_not_send_request`.',
    'Check the `baseUrl` of the workspace, and `--experimental-allowed-ip-networks` for a model server of your own.',
  ),
  proxy_could_not_send_request: prose(
    'A remote could not be reached by a federated search.',
    'No connection came about: name, address, port or certificate are wrong, or the machine is off.',
    'Check the `url` of the remote and whether it runs; the hits of the others are in the answer.',
  ),
  remote_remote_error: prose(
    'A remote, or the provider of a conversation, failed.',
    'It answered with a fault of its own; the message holds what it said.',
    'Look into the log of that instance, or try the conversation again later.',
  ),
  remote_timeout: prose(
    'A remote, or the provider of a conversation, did not answer in time.',
    'It is overloaded or its network is slow.',
    'Try again, or give searches among remotes more time, providers by `--chat-provider-timeout`.',
  ),
  remote_too_many_requests: prose(
    'The provider of a conversation takes no more requests for now.',
    'The limit of requests or tokens a minute of the workspace of the `apiKey`, or its credit, is used up.',
    'Try again later, or raise the limit at the provider.',
  ),
  unprocessed_network_task: reserved(
    'A change of the network is still under way.',
    'Another edition of the API moves documents among instances when the network changes.',
    'Wait for its task.',
  ),
  network_version_too_old: reserved(
    'The instance knows a newer network than the sender.',
    'Another edition of the API keeps one network on all instances.',
    'Send the change again.',
  ),
  network_version_mismatch: reserved(
    'Two instances know different networks.',
    'Another edition of the API keeps one network on all instances.',
    'Wait until the change of the network is done everywhere.',
  ),
  import_task_already_received: reserved(
    'Documents from another instance came twice.',
    'Another edition of the API moves documents among instances.',
    'Nothing has to be done.',
  ),
  import_task_unknown_remote: reserved(
    'Documents came from an instance that is not in the network.',
    'Another edition of the API moves documents among instances.',
    'Add the instance to the network first.',
  ),
  receive_import_finished_unknown_remote: reserved(
    'An instance that is not in the network says that it sent all its documents.',
    'Another edition of the API moves documents among instances.',
    'Add the instance to the network first.',
  ),
  import_task_without_network_task: reserved(
    'Documents came before the change of the network that they belong to.',
    'Another edition of the API moves documents among instances.',
    'Try again after the seconds in `Retry-After`.',
  ),
};

/** Exports to other instances. */
export const EXPORT_PROSE: ProseTable = {
  ...parameterProse('invalid_export_', 'of an export', {
    url: ['url', 'the absolute address of the other instance'],
    api_key: ['apiKey', 'a string or null'],
    payload_size: ['payloadSize', 'a number of bytes, or a string with a unit, like `"24MiB"`'],
    index_filter: ['filter', 'a filter expression over attributes that the index can filter by'],
    index_override_settings: ['overrideSettings', 'a boolean'],
  }),
  invalid_export_indexes_patterns: reserved(
    '`indexes` of an export is wrong.',
    'Other instances may answer this code; here it is `bad_request`.',
    'Send an object of index patterns.',
  ),
};

/** Templates, search rules and chats. */
export const FEATURE_PROSE: ProseTable = {
  ...parameterProse('invalid_render_', 'of a rendering', {
    template: ['template', 'an object with `kind` and the fields of that kind'],
    input: ['input', 'an object with `kind` and the fields of that kind, or null'],
  }),
  template_parsing_error: prose(
    'The template is not valid Liquid.',
    'A tag or an output is not closed, or its name is unknown; the message names the place.',
    'Correct the template.',
  ),
  template_rendering_error: prose(
    'The template cannot be rendered with this input.',
    'It names a field that the input does not have, or is for documents and got a search.',
    'Ask for the field with `{% if %}` first, or correct its name.',
  ),
  render_document_not_found: prose(
    'The document to render is not in the index.',
    '`id` of the input names no document.',
    'Check the id with `GET /indexes/UID/documents/ID`.',
  ),
  dynamic_search_rule_not_found: prose(
    'There is no such search rule.',
    'No rule has the uid in the path, or it was deleted.',
    'List the rules with `POST /dynamic-search-rules`.',
  ),
  ...parameterProse('invalid_dynamic_search_rule_', 'of a search rule', {
    ...PAGE,
    filter: ['filter', 'an object with `query`, `active` or both'],
    filter_query: ['filter.query', 'a string or null'],
    filter_active: ['filter.active', 'a boolean or null'],
    show_target: ['showTarget', 'a boolean'],
    description: ['description', 'a string or null'],
    priority: ['precedence', 'a non-negative integer or null'],
    active: ['active', 'a boolean or null'],
    conditions: ['conditions', 'an object with `time`, `query`, `filter`, or null'],
    actions: ['actions', 'an array of objects with `selector` and `action`, or null'],
  }),
  chat_not_found: prose(
    'There is no such chat workspace.',
    'No settings were ever sent for the name in the path, or the workspace was deleted.',
    'Make it with `PATCH /chats/NAME/settings`.',
  ),
  ...parameterProse('invalid_chat_completion_', 'of a chat workspace', {
    org_id: ['orgId', 'a string or null'],
    project_id: ['projectId', 'a string or null'],
    api_version: ['apiVersion', 'a string or null'],
    deployment_id: ['deploymentId', 'a string or null'],
    base_api: ['baseUrl', 'a string or null'],
    api_key: ['apiKey', 'a string or null'],
    system_prompt: ['prompts.system', 'a string, or null for the default'],
    search_description_prompt: ['prompts.searchDescription', 'a string, or null for the default'],
    search_query_param_prompt: ['prompts.searchQParam', 'a string, or null for the default'],
    search_filter_param_prompt: ['prompts.searchFilterParam', 'a string, or null for the default'],
    search_index_uid_param_prompt: ['prompts.searchIndexUidParam', 'a string, or null for the default'],
  }),
  invalid_chat_completion_source: reserved(
    '`source` of a chat workspace is wrong.',
    'Other instances may answer this code; here it is `bad_request`.',
    'Send one of the sources that the message lists.',
  ),
  invalid_chat_completion_prompts: reserved(
    '`prompts` of a chat workspace is wrong.',
    'Other instances may answer this code; here it is `bad_request`.',
    'Send an object of prompts, or null for the defaults.',
  ),
  invalid_chat_completion_pre_query_prompt: reserved(
    '`prompts.preQuery` of a chat workspace is wrong.',
    'Older instances had this prompt.',
    'Leave it out.',
  ),
  unimplemented_external_function_calling: reserved(
    'A chat cannot call functions of the client.',
    '`tools` of the request declares a function that is none of the special ones.',
    'Declare only the special tools.',
  ),
  unimplemented_non_streaming_chat_completions: reserved(
    'A chat answers only as a stream.',
    'Other instances refuse `"stream": false`.',
    'Send `"stream": true`.',
  ),
  unimplemented_multi_choice_chat_completions: prose(
    'A chat gives one answer.',
    '`n` of the request asks for several.',
    'Leave `n` out, or send 1.',
  ),
};
