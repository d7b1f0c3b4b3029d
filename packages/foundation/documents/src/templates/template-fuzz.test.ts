import { ApiError } from '@fossick/base';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { documentVariables, renderDocumentText, renderFragment } from './document-text.js';
import { HOSTILE_DOCUMENT, HOSTILE_TEMPLATES } from './hostile-templates.test-support.js';

/** Of one rendering: RENDER_LIMIT_MS of liquid-text.ts. */
const RENDER_MS = 2_000;
const SECRET = 'only-the-process-knows';
const variables = documentVariables(HOSTILE_DOCUMENT);

/** The text, or the code of the refusal; anything else that is thrown is a fault of ours. */
function outcome(template: string, limitBytes = 1_000_000): string {
  try {
    return renderDocumentText(template, variables, limitBytes);
  } catch (error) {
    if (error instanceof ApiError && error.code.startsWith('template_')) return error.code;
    throw error;
  }
}

const word = fc.constantFrom(
  ...[
    'doc',
    'doc.name',
    'doc.list',
    'doc.tags',
    'doc.meta.n',
    'fields',
    'field.value',
    'i',
    'x',
    'forloop.index',
    '"a"',
    '12',
    'nil',
  ],
  ...[
    'doc.constructor',
    'doc.__proto__',
    'doc.list.constructor.prototype',
    'constructor',
    'process',
    'global',
    'doc["toString"]',
  ],
  '(1..20)',
);
const filter = fc.constantFrom(
  ...[
    'upcase',
    'size',
    'json',
    'join: ","',
    'split: ""',
    'append: doc.name',
    'times: 100',
    'plus: x',
    'date: "%Y"',
    'first',
    'last',
  ],
  ...[
    'map: "constructor"',
    'where: "__proto__", 1',
    'sort',
    'uniq',
    'reverse',
    'slice: 0, 5',
    'replace: "a", "aa"',
    'inspect',
    'nothing',
  ],
  ...[
    'default: doc',
    'concat: doc.list',
    'sum',
    'strip_html',
    'url_encode',
    'base64_encode',
    'group_by: "n"',
    'to_integer',
    'raw',
  ],
);
const expression = fc
  .tuple(word, fc.array(filter, { maxLength: 4 }))
  .map(([one, filters]) => [one, ...filters].join(' | '));
const { template } = fc.letrec<{ template: string }>((tie) => ({
  template: fc
    .array(
      fc.oneof(
        { depthSize: 'small' },
        expression.map((one) => `{{ ${one} }}`),
        fc.string({ maxLength: 5 }),
        fc.tuple(word, tie('template')).map(([over, inner]) => `{% for i in ${over} %}${inner}{% endfor %}`),
        fc.tuple(expression, tie('template')).map(([one, inner]) => `{% assign x = ${one} %}${inner}`),
        tie('template').map((inner) => `{% capture x %}${inner}{% endcapture %}{{ x }}`),
        fc
          .tuple(word, word, tie('template'))
          .map(([a, b, inner]) => `{% if ${a} == ${b} %}${inner}{% else %}no{% endif %}`),
        fc.constantFrom(
          '{%',
          '{{',
          '%}',
          '{% raw %}',
          '{% endraw %}',
          '{% break %}',
          "{% render 'x' %}",
          '{% layout "x" %}',
        ),
      ),
      { maxLength: 5 },
    )
    .map((parts) => parts.join('')),
}));

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe('templates', () => {
  it('render or are refused, whatever they are, and show nothing of the process', () => {
    vi.stubEnv('FOSSICK_TEMPLATE_CANARY', SECRET);
    fc.assert(
      fc.property(template, (text) => {
        // `raw` shows a template's own words as they stand: they are not what the process knows
        const shown = outcome(text).replaceAll('doc.list.constructor.prototype', '');
        expect(shown).not.toMatch(/native code|function|prototype/);
        expect(shown).not.toContain(SECRET);
        expect(() => renderFragment({ [text]: [text] }, variables)).toSatisfy((render: () => unknown) => {
          try {
            return render() !== undefined;
          } catch (error) {
            return error instanceof ApiError;
          }
        });
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['prototype', '{{ doc.list.constructor.prototype }}'],
    ['constructor', '{{ doc.constructor }}{% capture x %}{{ doc.list.constructor }}{% endcapture %}{{ x }}'],
    ['prototypes in a loop', '{% for i in doc %}{{ i.constructor.prototype }}{{ doc.__proto__ }}{% endfor %}'],
  ])('show nothing for a %s, and a raw one as it is written', (_, text) => {
    expect(outcome(text)).not.toMatch(/native code|function|prototype|object/i);
    expect(outcome(`{% raw %}${text}{% endraw %}`)).toBe(text);
  });

  it.each(HOSTILE_TEMPLATES)('end in time and memory: %s', (_, text) => {
    // each look of the renderer at the clock, which is one for each piece of a template, takes a fiftieth of a millisecond
    let looks = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => looks++ / 50);
    const heapBefore = process.memoryUsage().heapUsed;
    expect(outcome(text)).toSatisfy((shown: string) => shown.startsWith('template_') || shown.length <= 1_000_000);
    expect(looks).toBeLessThanOrEqual(50 * RENDER_MS + 2);
    expect(process.memoryUsage().heapUsed - heapBefore).toBeLessThan(1_000_000_000);
  });
});
