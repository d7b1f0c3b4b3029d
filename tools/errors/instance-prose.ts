import { immutableProse, missingProse, type ProseTable, parameterProse, prose, reserved } from './prose.js';

const DATE = 'an RFC 3339 date-time, or a date like `2030-01-31`';
const PAGE = { offset: ['offset', 'a non-negative integer'], limit: ['limit', 'a non-negative integer'] } as const;

/** Keys and permissions. */
export const ACCESS_PROSE: ProseTable = {
  missing_authorization_header: prose(
    'The request does not say who asks.',
    'The instance has a master key, and the header `Authorization` is missing or does not hold a bearer token: the key alone, or `Basic`, is none.',
    'Send `Authorization: Bearer KEY` with an API key that may do what you ask for.',
  ),
  missing_master_key: prose(
    'Keys cannot be managed, because the instance has no master key.',
    'A route under `/keys` was asked of an instance that was started without `--master-key`.',
    'Start the instance with a master key of at least 16 bytes.',
  ),
  invalid_api_key: prose(
    'The key or token that was sent does not allow this request.',
    'It is unknown or expired, it lacks the action or the index, or the tenant token is not valid; the message says which.',
    'Use a key that has the action and the index, or renew the key or token.',
  ),
  api_key_not_found: prose(
    'There is no such API key.',
    'The path names a key by a uid or value that no key has, or the key was deleted.',
    'List the keys with `GET /keys` and use one of theirs.',
  ),
  api_key_already_exists: prose(
    'The uid of a new key is taken.',
    'Another key was made with the same `uid`.',
    'Send another UUID, or none to have one made.',
  ),
  ...parameterProse('invalid_api_key_', 'of an API key', {
    uid: ['uid', 'a UUID, or leave it out'],
    name: ['name', 'a string or null'],
    description: ['description', 'a string or null'],
    actions: ['actions', 'an array of action names, `["*"]` for all'],
    indexes: ['indexes', 'an array of index uids, which may end in `*`, or `["*"]` for all'],
    expires_at: ['expiresAt', `${DATE} in the future, or null for never`],
    ...PAGE,
  }),
  ...missingProse('missing_api_key_', 'of a new API key', {
    actions: ['actions', 'an array of action names'],
    indexes: ['indexes', 'an array of index uids'],
    expires_at: ['expiresAt', `${DATE}, or null`],
  }),
  ...immutableProse('immutable_api_key_', 'of an API key', {
    uid: 'uid',
    key: 'key',
    actions: 'actions',
    indexes: 'indexes',
    expires_at: 'expiresAt',
    created_at: 'createdAt',
    updated_at: 'updatedAt',
  }),
  index_scoped_api_key_with_global_action: prose(
    'A key of single indexes cannot have this action.',
    'The action concerns the whole instance, and `indexes` of the key names single ones.',
    'Leave the action out, or give the key `"indexes": ["*"]`.',
  ),
};

/** Errors of any route. */
export const GENERIC_PROSE: ProseTable = {
  bad_request: prose(
    'The request cannot be understood as it is.',
    'A field or query parameter is unknown, or one without a code of its own has a wrong value; the message names it.',
    'Correct what the message names; for a misspelt name it proposes the nearest known one.',
  ),
  bad_parameter: reserved(
    'A query parameter is wrong.',
    'Older instances answered this code; today each parameter has its own.',
    'Correct the parameter that the message names.',
  ),
  malformed_payload: prose(
    'The body is not in the format that it claims.',
    'Its JSON, NDJSON or CSV cannot be parsed: it is cut off, not UTF-8, or breaks the syntax at the place in the message.',
    'Send a whole body in the format of `Content-Type`.',
  ),
  missing_payload: prose(
    'The body is empty.',
    'The route needs a body, and none was sent.',
    'Send one, `{}` where every field is optional.',
  ),
  feature_not_enabled: prose(
    'The request uses an experimental feature that is off.',
    'Experimental features are off until somebody turns them on; the message names the one.',
    'Turn it on with `PATCH /experimental-features`.',
  ),
  unretrievable_error_code: prose(
    'The code of a stored error is not known any more.',
    'The task was made by another release, which knew other codes, and came with a dump of it.',
    'Read the message; nothing else has to be done.',
  ),
  payload_too_large: prose(
    'The body is larger than the instance takes.',
    'After decompression it has more bytes than `--http-payload-size-limit` allows, or `--http-read-payload-size-limit` for a request that only reads.',
    'Send the documents in several requests, or start the instance with a higher limit.',
  ),
  payload_timeout: prose(
    'The client stopped sending the body, or the head, before its end.',
    'Fewer than 1,000 bytes of the body came within 30 seconds, or the head was not whole within a minute.',
    'Send the request again; look for what holds the connection up on its way.',
  ),
  invalid_mcp_argument: prose(
    'An argument of a tool of `/mcp` cannot be sent to its route.',
    'The arguments are no object, an argument that is part of the path or is the whole body is missing, or it is no string or integer.',
    'Send the arguments that `tools/list` describes.',
  ),
  mcp_answer_too_large: prose(
    'The answer of a tool of `/mcp` is too large for a model.',
    'The search or listing found many or large documents.',
    'Lower `limit`, or name the fields that are needed in `attributesToRetrieve` or `fields`; the route of the operation has no such limit.',
  ),
  origin_not_allowed: prose(
    'A web page of an origin that is not listed sent a request.',
    'The server was started with `--http-allowed-origins`, and the header `Origin` names neither an origin of that list nor the page of this server itself. The name of a server with a name of its own has to be in `--http-allowed-hosts`, or its origin in the list.',
    'If the page may use the server, add its origin to `--http-allowed-origins`.',
  ),
  route_not_found: prose(
    'There is no route of this path.',
    'The path is misspelt, is one of another release, or the server is behind a proxy that adds or removes a part of it.',
    'Compare the path with `GET /openapi.json`, or the page at `/docs`.',
  ),
  unsatisfiable_range: prose(
    'The header `Range` asks for bytes that the file does not have.',
    'The range begins at or after its end, as where a download is gone on with that is complete.',
    'Compare with the size in the header `Content-Range` of the answer, and leave the header out to get the whole file.',
  ),
  method_not_allowed: prose(
    'The path has no such method.',
    'The route exists with other methods; the header `Allow` of the answer and the message list them.',
    'Send the request with one of the methods that are listed.',
  ),
  host_not_allowed: prose(
    'A request calls the server by a name that is not its own.',
    'The server was started with `--http-allowed-hosts`, and the header `Host` has another name. A page whose name was changed to an address of this machine (DNS rebinding) sends such requests, and so does a proxy that passes on a name which is not listed.',
    'If the server has that name, add it to `--http-allowed-hosts`.',
  ),
  mcp_origin_not_allowed: prose(
    'A web page of another origin called `/mcp`.',
    'The header `Origin` names neither this machine nor an origin of `--mcp-allowed-origins`. Without the check a page could reach servers in the network of its visitor by changing the address of its name.',
    'If the page may use the server, start it with `--mcp-allowed-origins` and the origin.',
  ),
  headers_too_large: prose(
    'The request line and the headers are larger than the instance takes.',
    'Together they have more than 16 KiB: a long query string, most of the time.',
    'Search by `POST` instead of `GET`, ask for fewer tasks by number at a time, send fewer or shorter headers.',
  ),
  missing_content_type: prose(
    'The body does not say what it is.',
    'The header `Content-Type` is missing.',
    'Send one of the types that the message lists.',
  ),
  invalid_content_type: prose(
    'The body is of a type that the route does not take.',
    'The header `Content-Type` names another type than the route accepts.',
    'Send one of the types that the message lists.',
  ),
  unsupported_media_type: reserved(
    'The body is of a type that the route does not take.',
    'Other instances answer this where a type cannot be told at all.',
    'Send `application/json`.',
  ),
  internal: prose(
    'The server met a situation that should not be.',
    'A fault of the server, or of the machine below it; the log of the instance holds the details.',
    'Try again; when it comes back, report it with the message and the log.',
  ),
  invalid_state: prose(
    'The stored data contradicts itself.',
    'A database was damaged, or edited from outside.',
    'Import the last dump or snapshot into a new database.',
  ),
  invalid_store_file: prose(
    'A file of the database is not one.',
    'The database folder holds foreign or damaged files.',
    'Import the last dump or snapshot into a new database.',
  ),
  database_size_limit_reached: prose(
    'The database cannot grow any more.',
    'An index reached the largest size that the storage can address.',
    'Delete documents, or spread them over several instances.',
  ),
  unretrievable_document: reserved(
    'A stored document cannot be read.',
    'The database is damaged.',
    'Add the document again.',
  ),
  cluster_log_damaged: prose(
    'The log of the cluster is not the one that this node has followed.',
    'The database of the log was rewound to an earlier state, an object was changed or removed, or the store of objects let two nodes write one entry.',
    'Read the line in the log of the instance, which names the position; restore the log, or start a new cluster from a dump of the node that has most.',
  ),
  cluster_log_unavailable: prose(
    'The log that the nodes of a cluster share does not answer.',
    'The database or the store of objects is away, or the network to it; or the store of the log is full or read-only. Searches go on.',
    'Try again after the seconds in `Retry-After`; check the database and the store of objects when it goes on.',
  ),
  replica_behind: prose(
    'This node of the cluster has not applied enough of the log for this request.',
    'The request asked for a position or for a strong read, or the node runs with `--cluster-stale=refuse` and has no contact.',
    'Try again after the seconds in `Retry-After`, or send the request to another node.',
  ),
  io_error: prose(
    'The machine could not read or write a file.',
    'The disk failed, or the process may not touch the folder.',
    'Check the disk and the rights of the database folder, then try again.',
  ),
  too_many_open_files: prose(
    'The process may not open another file.',
    'The limit of open files of the operating system was reached.',
    'Raise the limit (`ulimit -n`) and start the instance again.',
  ),
  no_space_left_on_device: prose(
    'There is no space left.',
    'The disk of the database is full, or the task queue has reached its largest size.',
    'Free or add disk space; delete finished tasks with `DELETE /tasks`.',
  ),
  too_many_search_requests: prose(
    'More searches wait than the instance takes.',
    'The search queue was full, or the search waited longer than `--experimental-drop-search-after`.',
    'Try again after the seconds in `Retry-After`; give the instance more cores or a longer queue.',
  ),
  too_many_payloads: prose(
    'The bodies of other requests take all the memory there is for them.',
    'Together with them this body would take more than `--http-payloads-memory`.',
    'Try again after the seconds in `Retry-After`; send fewer large requests at a time, or start the instance with more memory for them.',
  ),
  too_many_answers: prose(
    'Answers that other clients have not read yet take all the memory there is for them.',
    'Together with them this answer would take more than `--http-answers-memory`. Answers of up to 64 KiB have a reserve of their own.',
    'Try again after the seconds in `Retry-After`; ask for fewer documents at a time, or start the instance with more memory for answers.',
  ),
  store_unavailable: prose(
    'A store is being reopened.',
    'The disk failed to write the meta page of its file, after which all that is read and written goes through a new handle.',
    'Try again after the seconds in `Retry-After`; check the disk when it goes on.',
  ),
};

const TASK_DATE = 'a date or date-time as RFC 3339 writes it';
/** Tasks, batches, webhooks, dumps and snapshots. */
export const TASK_PROSE: ProseTable = {
  task_not_found: prose(
    'There is no such task.',
    'No task ever had this uid, it was deleted, or the key may not see its index.',
    'List the tasks with `GET /tasks`.',
  ),
  batch_not_found: prose(
    'There is no such batch.',
    'No batch ever had this uid, or its tasks were deleted.',
    'List the batches with `GET /batches`.',
  ),
  task_file_not_found: prose(
    'The documents of this task are not there any more.',
    'A task keeps its documents only until it is done, and many kinds of tasks have none.',
    'Ask while the task is enqueued or processing.',
  ),
  ...parameterProse('invalid_task_', 'of a list of tasks or batches', {
    uids: ['uids', 'uids of tasks, separated by commas, or `*`'],
    canceled_by: ['canceledBy', 'uids of cancelation tasks, separated by commas, or `*`'],
    types: ['types', 'task types, separated by commas, or `*`; the message lists them'],
    statuses: ['statuses', '`enqueued`, `processing`, `succeeded`, `failed`, `canceled`, separated by commas, or `*`'],
    limit: ['limit', 'a non-negative integer'],
    from: ['from', 'the uid that the list is to begin with'],
    reverse: ['reverse', '`true` or `false`'],
    errors_offset: ['offset', 'a non-negative integer'],
    errors_limit: ['limit', 'an integer from 0 to 1,000'],
    after_enqueued_at: ['afterEnqueuedAt', TASK_DATE],
    before_enqueued_at: ['beforeEnqueuedAt', TASK_DATE],
    after_started_at: ['afterStartedAt', TASK_DATE],
    before_started_at: ['beforeStartedAt', TASK_DATE],
    after_finished_at: ['afterFinishedAt', TASK_DATE],
    before_finished_at: ['beforeFinishedAt', TASK_DATE],
  }),
  ...parameterProse('invalid_batch_', 'of a list of tasks or batches', {
    uids: ['batchUids', 'uids of batches, separated by commas, or `*`'],
  }),
  missing_task_filters: prose(
    'A cancelation or deletion of tasks does not say which.',
    'No filter was sent, and none means none, not all.',
    'Send at least one filter; `statuses=*` means every task.',
  ),
  webhook_not_found: prose(
    'There is no such webhook.',
    'No webhook has the UUID in the path, or it was deleted.',
    'List the webhooks with `GET /webhooks`.',
  ),
  ...parameterProse('invalid_webhook', 'of a webhook', {
    s: ['webhooks', 'no more webhooks than the message allows: delete one first'],
    _url: ['url', 'an absolute address with `http` or `https`'],
    _headers: ['headers', 'an object of header names and values'],
    _uuid: ['uuid', 'the UUID of a webhook in the path'],
  }),
  ...immutableProse('immutable_webhook', 'of a webhook', { _uuid: 'uuid', _is_editable: 'isEditable' }),
  immutable_webhook: prose(
    'This webhook cannot be changed here.',
    'It was given to the instance on its command line.',
    'Change `--task-webhook-url` and start the instance again.',
  ),
  dump_not_found: prose(
    'There is no such dump.',
    'The folder of dumps of this server has no file of that uid: it was removed, or another node wrote it.',
    'List the dumps with `GET /_fossick/dumps`; follow one that is being written by its task.',
  ),
  snapshot_not_found: prose(
    'There is no such snapshot.',
    'The folder of snapshots of this server has none of that name: none was written, or it is in an object store.',
    'List the snapshots with `GET /_fossick/snapshots`, and write one with `POST /snapshots`.',
  ),
  dump_already_processing: reserved(
    'Another dump is being written.',
    'Older instances wrote one dump at a time; here dumps are tasks, which wait for one another.',
    'Follow the task of the running dump, then try again.',
  ),
  dump_process_failed: reserved(
    'A dump could not be written.',
    'Other instances sum up the failure of a dump by this code; here its task has the code of the cause.',
    'Read the message and the log of the instance.',
  ),
  invalid_s3_snapshot_request: prose(
    'An object store did not take a snapshot.',
    'Its credentials, rights, bucket or region are wrong, or the clock of the machine is; the message names which.',
    'Correct the options that begin with `--s3-`, or the clock, then write the snapshot again.',
  ),
  invalid_s3_snapshot_parameters: prose(
    'A snapshot cannot be uploaded with the options of the server.',
    'The package `@aws-sdk/client-s3` is not installed, no region is known, or the snapshot has more parts than an object may have.',
    'Install the package next to the server, or correct the options that begin with `--s3-`, then start the server again.',
  ),
  invalid_s3_dump_request: prose(
    'An object store did not take a dump.',
    'Its credentials, rights, bucket or region are wrong, or the clock of the machine is; the message names which.',
    'Correct the options that begin with `--s3-`, or the clock, then write the dump again.',
  ),
  invalid_s3_dump_parameters: prose(
    'A dump cannot be uploaded with the options of the server.',
    'The package `@aws-sdk/client-s3` is not installed, no region is known, or the dump has more parts than an object may have.',
    'Install the package next to the server, or correct the options that begin with `--s3-`, then start the server again.',
  ),
  s3_dump_server_error: prose(
    'A dump was not uploaded.',
    'The object store did not answer, or failed, at every attempt. The folder of dumps does not have it either.',
    'Check that the server reaches the address of the store, then write the dump again.',
  ),
  s3_snapshot_server_error: prose(
    'A snapshot was not uploaded.',
    'The object store did not answer, or failed, at every attempt. The snapshot before is still there.',
    'Check that the server reaches the address of the store, then write the snapshot again.',
  ),
};
