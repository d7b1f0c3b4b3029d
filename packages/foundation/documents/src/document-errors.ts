/** Documents that are skipped, with their errors: for processes that store documents or show what became of them. */

export {
  type DocumentError,
  type DocumentErrorSummary,
  DocumentErrors,
  ERRORS_PER_PAGE,
  errorsOfPage,
} from './payload/document-errors.js';
export { markLine, type PayloadItem, type PayloadMark, payloadItems, readMark } from './payload/payload-marks.js';
