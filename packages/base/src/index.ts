export { ApiError } from './errors.js';
export type { DocId, FieldId, SegmentId, TaskUid } from './ids.js';
export { unreachable } from './unreachable.js';
