import { ApiError } from '@fossick/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentVariables, renderDocumentText, renderFragment } from './document-text.js';

/** Milliseconds of processor time of this process: what else the machine does is not in them. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

const SECRET = 'only-the-process-knows';
const document = {
  id: 1,
  name: 'kefir',
  tags: ['a', 'b'],
  list: Array.from({ length: 50 }, (_, i) => i),
  meta: { n: 1.5 },
};
const variables = documentVariables(document);

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

describe('templates', () => {
  it('render or are refused, whatever they are, and show nothing of the process', () => {
    process.env['FOSSICK_TEMPLATE_CANARY'] = SECRET;
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

  it.each([
    ['a loop over all numbers', '{% for i in (1..1000000000) %}a{% endfor %}'],
    ['loops within loops', `${'{% for i in (1..1000) %}'.repeat(6)}a${'{% endfor %}'.repeat(6)}`],
    ['text that doubles', `{% assign x = "aaaaaaaaaa" %}${'{% assign x = x | append: x %}'.repeat(60)}{{ x }}`],
    [
      'text that replaces itself',
      `{% assign x = "aaaaaaaaaa" %}${'{% assign x = x | replace: "a", x %}'.repeat(20)}{{ x }}`,
    ],
    ['lists that double', `{% assign x = doc.list %}${'{% assign x = x | concat: x %}'.repeat(60)}{{ x | size }}`],
    [
      'a capture that doubles',
      `{% assign x = "a" %}${'{% capture x %}{{ x }}{{ x }}{% endcapture %}'.repeat(60)}{{ x }}`,
    ],
    ['a date as wide as memory', '{{ "now" | date: "%1000000000Y" }}'],
    ['a date of half a gigabyte', '{{ "now" | date: "%400000000Y" }}'],
    ['dates as wide as memory', `{{ "now" | date: "${'%9999999Y'.repeat(200)}" }}`],
    ['a table of all numbers', '{% tablerow i in (1..100000000) cols:2 %}{{ i }}{% endtablerow %}'],
    ['a list as JSON, again and again', `{% for i in (1..10000000) %}{{ doc | json }}{% endfor %}`],
    ['tags in each other', `${'{% if true %}'.repeat(20_000)}a${'{% endif %}'.repeat(20_000)}`],
    [
      'a text to strip',
      `{% assign x = "<<<<<<<<<<" %}${'{% assign x = x | append: x %}'.repeat(14)}{{ x | strip_html }}`,
    ],
  ])(
    'end in time and memory: %s',
    (_, text) => {
      const heapBefore = process.memoryUsage().heapUsed;
      const startedMs = cpuMs();
      expect(outcome(text)).toSatisfy((shown: string) => shown.startsWith('template_') || shown.length <= 1_000_000);
      // the bound is two seconds of rendering; a busy machine may take several times as long for the rest
      expect(cpuMs() - startedMs).toBeLessThan(20_000);
      expect(process.memoryUsage().heapUsed - heapBefore).toBeLessThan(1_000_000_000);
    },
    60_000,
  );
});
