/** Payloads of documents as files: for processes that receive or index them. */

export { JsonCheck } from './json/json-check.js';
export { JsonScanner } from './json/json-scanner.js';
export { ObjectSplitter, trimmed } from './json/object-splitter.js';
export { payloadLines } from './payload/payload-lines.js';
export { FLUSH_BYTES, LineWriter, type StoredPayload } from './payload/payload-writer.js';
