import { JsonScanner, trimmed } from '@fossick/documents/payloads';
import { MoveError } from './move-error.js';

const [COLON, COMMA, OPEN_BRACE, OPEN_BRACKET] = [0x3a, 0x2c, 0x7b, 0x5b];

/** A page of documents as received, so that no number in them is changed. */
export interface DocumentPage {
  /** JSON texts, views of the answer. */
  readonly documents: readonly Buffer[];
  /** Number of documents in the index. */
  readonly total: number;
}

/**
 * Splits the answer of `POST /indexes/{uid}/documents/fetch` into its documents. Throws MoveError for another form.
 * O(bytes)
 */
export function readDocumentPage(answer: Buffer): DocumentPage {
  let documents: Buffer[] | undefined;
  let total: number | undefined;
  let name = '';
  for (const { bytes, mark } of valuesIn(answer, OPEN_BRACE)) {
    if (mark === COLON) name = bytes.toString('utf8');
    else if (name === '"results"') documents = elementsOf(bytes);
    else if (name === '"total"') total = Number(bytes.toString('utf8'));
  }
  if (documents === undefined || total === undefined || !Number.isSafeInteger(total)) throw noPage();
  return { documents, total };
}

function elementsOf(list: Buffer): Buffer[] {
  const elements = valuesIn(list, OPEN_BRACKET).map(({ bytes }) => bytes);
  if (elements.length === 1 && elements[0]!.length === 0) return [];
  if (elements.some((element) => element[0] !== OPEN_BRACE || element.at(-1) !== OPEN_BRACE + 2)) throw noPage();
  return elements;
}

/** What stands in a list or an object: its values, and names with the colon as their mark; views of it. */
function valuesIn(text: Buffer, open: number): { readonly bytes: Buffer; readonly mark: number }[] {
  const scanner = new JsonScanner('[]{},:');
  const found: { bytes: Buffer; mark: number }[] = [];
  let start = scanner.next(text, 0) + 1;
  if (text[start - 1] !== open || trimmed(text.subarray(0, start)).length > 1) throw noPage();
  let openedCount = 0;
  for (let at = scanner.next(text, start); at < text.length; at = scanner.next(text, at + 1)) {
    const mark = text[at]!;
    if (scanner.depth === 2 && (mark === OPEN_BRACE || mark === OPEN_BRACKET)) openedCount += 1;
    if (scanner.depth > 1 || (scanner.depth === 1 && mark !== COMMA && mark !== COLON)) continue;
    if (openedCount > 1) throw noPage();
    found.push({ bytes: trimmed(text.subarray(start, at)), mark });
    if (scanner.depth === 0) return found;
    openedCount = 0;
    start = at + 1;
  }
  throw noPage();
}

function noPage(): MoveError {
  return new MoveError('the source sent what is no page of documents');
}
