import { MAX_TEMPLATE_COUNT, MAX_TEMPLATE_UNITS, MAX_TEMPLATES_UNITS } from '@fossick/base';
import { exampleText, shown } from '@fossick/base/contract';

/** A template in Liquid. Its limits are checked for requests only, of all templates together. */
export const template = shown(
  exampleText(
    `Text that is embedded for a document, in Liquid. At most ${MAX_TEMPLATE_UNITS} characters, ${MAX_TEMPLATES_UNITS} ` +
      `in all ${MAX_TEMPLATE_COUNT} templates that an index may have.`,
    '{{doc.title}}',
  ),
  { maxLength: MAX_TEMPLATE_UNITS },
);
