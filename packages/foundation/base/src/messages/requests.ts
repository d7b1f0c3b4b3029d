import type { MessageRows } from './message-row.js';

/** Messages of errors of any request, and of the server itself, by code. */
export const REQUESTS_MESSAGES = {
  bad_request: {
    brokenBody: (reason: string) => `The request body cannot be read: ${reason}.`,
    transferEncoding: (given: string) =>
      `The transfer encoding \`${given}\` is not supported. Send \`chunked\`, and name a compression in \`Content-Encoding\`.`,
    notHttp: (reason: string) => `The request cannot be read as HTTP: ${reason}.`,
    unreadable: (what: string, reason: string) => `${what} cannot be read: ${reason}.`,
    notJson: (path: string, type: string) => `\`${path}\` must be a value of JSON, not ${type}.`,
    notIds: () => 'The request body must be an array of ids.',
    minPosition: (text: string) => `The header \`X-Fossick-Min-Position\` must be a position, not \`${text}\`.`,
    fresh: (text: string) => `The parameter \`fresh\` must be a duration such as \`10s\`, not \`${text}\`.`,
    alreadyStreaming: () => 'The log is being streamed already; DELETE /logs/stream ends that stream.',
    unclearScope: (header: string) => `The header \`${header}\` is not a valid caller scope.`,
    incompleteSource: (source: string, option: string) => `The source \`${source}\` needs \`${option}\`.`,
    missingField: (name: string, location: string) => `The field \`${name}\`${location} is missing.`,
    clientLeft: () => 'The client left.',
    notScript: (reason: string) => `The function is not a script: ${reason}.`,
    endBeforeStart: (path: string) => `\`${path}.start\` is after \`${path}.end\`.`,
    emptyWithWords: (path: string) => `\`${path}\` asks for an empty query and for words in it; keep one of them.`,
  },
  feature_not_enabled: {
    personalization: () => '`personalize` needs a personalisation service, and this server has none.',
    request: (what: string, feature: string) =>
      `\`${what}\` needs the experimental feature \`${feature}\`: PATCH /experimental-features {"${feature}": true} turns it on.`,
    filter: (operator: string, feature: string, context: string) =>
      `\`${operator}\` in filters needs the experimental feature \`${feature}\`.\n${context}`,
  },
  headers_too_large: () => 'The request line and the headers together are larger than 16 KiB.',
  internal: {
    fault: (message: string) => `Internal error: ${message}`,
    searchTooLong: (seconds: number) => `The search ran for longer than ${seconds} seconds and was ended.`,
    searchThreadEnded: (deathCount: number) =>
      `The search was tried ${deathCount} times, and each time the thread that ran it ended unexpectedly.`,
    conversation: () => 'The conversation failed by an internal error.',
    exportFailed: (origin: string, method: string, path: string, fault: string) =>
      `The instance at ${origin} failed at ${method} ${path}: ${fault}`,
    endlessAnswer: (origin: string) => `The instance at ${origin} answers without end.`,
    searchFailed: () => 'The search ended in a fault of the server. Searches go on.',
    payloadLost: () => 'The payload of the task is lost: its file is not there any more.',
    viewTooLong: (seconds: number) =>
      `The request read one commit of the index for more than ${seconds} seconds and was ended.`,
    unknownTask: (type: string) => `This server cannot run tasks of type \`${type}\`.`,
  },
  invalid_content_type: {
    notAccepted: (header: string, list: string) => `The content type \`${header}\` is not accepted here; use ${list}.`,
    delimiterWithoutCsv: (type: string) => `\`csvDelimiter\` goes with \`text/csv\`, but the payload is \`${type}\`.`,
  },
  invalid_state: () => 'The task queue was compacted: restart the server, then writes are accepted again.',
  store_unavailable: (folder: string) =>
    `The disk failed to write the meta page of \`${folder}\`; it is being reopened. Try again in 10 seconds.`,
  cluster_log_unavailable: {
    away: () => 'The log of the cluster does not answer, so nothing can be written. Try again in 10 seconds.',
    full: () =>
      'The disk of this node takes nothing, so it accepts no writes. Make room on it, or send the request to another node.',
    objects: () =>
      'The store of objects of the cluster does not answer, and the request is too large for the log alone. Try again in 10 seconds.',
    refused: () =>
      'The store of the log of the cluster takes no writes, so nothing was changed: it may be full, or read-only.',
    unknown: () =>
      'The log of the cluster did not answer in time, so it is unknown whether the request was accepted. Look before you send it again.',
    failed: (reason: string) => `This node has stopped following the log of the cluster; restart it: ${reason}.`,
  },
  cluster_log_damaged: (reason: string) =>
    `The log of the cluster is damaged, and this node accepts no writes: ${reason}.`,
  replica_behind: {
    position: (wanted: number, position: number) =>
      `This node has applied the log of the cluster up to ${position} and not up to ${wanted} yet.`,
    stale: (seconds: number) => `This node of the cluster has had no contact with the log for ${seconds} seconds.`,
  },
  invalid_store_file: {
    noIndex: () => 'The store of the index holds no index: its file was lost or replaced.',
    file: (file: string, damage: string) => `The file ${file} is damaged: ${damage}.`,
    row: (location: string, table: string) =>
      `The store ${location} is damaged: a row of its table \`${table}\` is not as it was written.`,
    unreadable: (folder: string, reason: string) => `The store ${folder} cannot be read: ${reason}.`,
    store: (folder: string, damage: string, reason: string) => `The store ${folder} is damaged: ${damage} (${reason}).`,
  },
  invalid_mcp_argument: {
    noObject: () => 'The arguments of a tool must be an object.',
    missing: (name: string) => `The argument \`${name}\` is missing.`,
    notText: (name: string) => `The argument \`${name}\` must be a string or an integer.`,
    noName: (name: string) =>
      `The argument \`${name}\` is not a valid name: it is empty, consists of dots, or is too long.`,
  },
  mcp_answer_too_large: (maxBytes: number) =>
    `The answer is larger than ${maxBytes} bytes. Ask for fewer results with \`limit\`, or for fewer fields with \`attributesToRetrieve\` or \`fields\`.`,
  origin_not_allowed: (origin: string) =>
    `Pages of the origin \`${origin}\` may not use this server; --http-allowed-origins lists those that may.`,
  host_not_allowed: (host: string) =>
    `This server is not called by the name \`${host}\`; --http-allowed-hosts lists the names by which it is.`,
  mcp_origin_not_allowed: (origin: string) =>
    `Pages of the origin \`${origin}\` may not use this server as a tool; --mcp-allowed-origins lists those that may.`,
  malformed_payload: {
    documentTooDeep: (maxDepth: number) => `A document is nested more than ${maxDepth} levels deep.`,
    unfinished: () => 'The payload ends in the middle of a JSON value.',
    otherStart: (uid: string, position: number, near: string) =>
      `The payload must be ${uid}, but byte ${position} starts \`${near}\`.`,
    unreadableDocument: (lineNumber: number, reason: string) =>
      `Document ${lineNumber} of the payload cannot be read: ${reason}.`,
    csv: (reason: string) => `The CSV payload is malformed: ${reason}.`,
    csvNotUtf8: () => 'The CSV payload is not valid UTF-8.',
    csvCells: (maxCount: number) => `The CSV payload has a row of more than ${maxCount} cells.`,
    csvColumns: (row: number, count: number, headerCount: number) =>
      `Row ${row} has ${count} cells, but the header has ${headerCount}.`,
    csvCell: (row: number, keyText: string, text: string, type: string) =>
      `Row ${row}, column ${keyText}: \`${text}\` is not a ${type}.`,
    json: (reason: string) => `The JSON payload is malformed: ${reason}.`,
    lines: (position: number) =>
      `The payload must be a JSON object or an array of objects, but another object starts at byte ${position}. JSON objects, one a line, are sent with the content type \`application/x-ndjson\`.`,
    arrayInLines: (position: number) =>
      `The payload must be JSON objects, one a line, but an array starts at byte ${position}. An array of objects is sent with the content type \`application/json\`.`,
    document: (position: number, reason: string) => `Document ${position} of the payload is malformed: ${reason}.`,
    jsonNotUtf8: () => 'The JSON payload is not valid UTF-8.',
    unreadable: (what: string, reason: string) => `${what} cannot be read: ${reason}.`,
    argumentTooDeep: (what: string, maxDepth: number) => `${what} is nested more than ${maxDepth} levels deep.`,
    jsonTooDeep: (maxDepth: number) => `The JSON payload is nested more than ${maxDepth} levels deep.`,
    csvDelimiter: (reason: string, delimiter: string) =>
      `The CSV payload is malformed: ${reason}. Its first line has no comma, but \`${delimiter}\`, which \`csvDelimiter\` in the query string makes the delimiter.`,
  },
  route_not_found: (path: string) => `There is no route of the path \`${path}\`.`,
  method_not_allowed: (list: string) => `The route does not have this method, only ${list}.`,
  unsatisfiable_range: (size: number) =>
    `The \`Range\` of the request has nothing of the file, which has ${size} bytes.`,
  missing_content_type: (list: string) => `The request needs a \`Content-Type\` header: ${list}.`,
  missing_payload: () => 'The request needs a payload, and it has none.',
  payload_timeout: {
    body: () => 'The client stopped sending the body of the request before its end.',
    head: () => 'The client stopped sending the head of the request before its end.',
  },
  payload_too_large: {
    payload: (limitBytes: number, option: string) =>
      `The payload is larger than the limit of ${limitBytes} bytes, which the option ${option} sets.`,
    fixed: (limitBytes: number) =>
      `The payload is larger than ${limitBytes} bytes, which is the most that this route takes.`,
    parts: (maxCount: number) =>
      `The payload holds more than ${maxCount} lists, objects and members. Send it in several requests.`,
    message: (maxBytes: number, argumentUnits: number) =>
      `A message may have ${maxBytes} bytes, not counting arguments of its tools of more than ${argumentUnits} characters.`,
    values: (maxCount: number) => `The payload holds more than ${maxCount} values.`,
    chunkExtensions: () => 'The extensions of the chunks of the body are larger than 16 KiB.',
    document: (position: number, maxBytes: number) => `Document ${position} is larger than ${maxBytes} bytes.`,
  },
  too_many_answers: () =>
    'Answers that other clients have not read yet take all the memory there is for them. Try again in 10 seconds, or ask for less.',
  too_many_payloads: () =>
    'The bodies of other requests take all the memory there is for them: send this one again later.',
} satisfies MessageRows;
