import { MAX_DOCUMENT_ID_BYTES } from '@fossick/base';
import { type Kind, kindOf, type Parser, wrongType, wrongValue } from '@fossick/base/contract';
import { idText } from '@fossick/documents';

const parse: Parser<string> = (value, where) => {
  const id = idText(value);
  if (id === undefined) throw wrongValue(where, wrongIdMessage(value));
  return id;
};
/** A document id: text, or an integer that stands for its text. */
export const documentId: Kind<string> = kindOf(
  parse,
  {
    anyOf: [{ type: 'string', pattern: `^[a-zA-Z0-9_-]{1,${MAX_DOCUMENT_ID_BYTES}}$` }, { type: 'integer' }],
    description: `Id of a document: an integer, or up to ${MAX_DOCUMENT_ID_BYTES} of the characters a-z, A-Z, 0-9, \`-\` and \`_\`.`,
    examples: [42, 'a-1'],
  },
  'the id of a document',
);
/** The same in a list of ids, where values of other types have an error of their own. */
export const listedId: Kind<string> = {
  ...documentId,
  parse: (value, where) => {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint')
      throw wrongType(where, 'a string or a number', value);
    return parse(value, where);
  },
};

/** The error message for a value that idText does not accept. */
function wrongIdMessage(value: unknown): string {
  const text = JSON.stringify(value);
  return (
    `${text.length > 80 ? `${text.slice(0, 80)}…` : text} is not a valid document id: an integer, or up to ${MAX_DOCUMENT_ID_BYTES} of the ` +
    'characters a-z, A-Z, 0-9, `-` and `_`.'
  );
}
