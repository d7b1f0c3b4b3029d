import fc from 'fast-check';
import { expect, it } from 'vitest';
import { blocksOf, spansOf } from './markdown.js';

const text = (content: string) => ({ kind: 'text', text: content });
const paragraph = (content: string) => ({ kind: 'paragraph', text: content });

it('an answer of a model is cut into blocks', () => {
  const answer = `## Two films
Both have *vampires*,
and one a castle.

1. **Nosferatu** (1922):
   - silent
   - by Murnau

2. Dracula
> Listen to them

\`\`\`json
{ "q": "**" }
\`\`\`
| film | year |
|---|---:|
| Dracula | 1931 |
- one
- two`;
  const bullets = (...items: string[]) => ({
    kind: 'list',
    start: null,
    items: items.map((item) => [paragraph(item)]),
  });
  expect(blocksOf(answer)).toEqual([
    { kind: 'heading', text: 'Two films' },
    paragraph('Both have *vampires*,\nand one a castle.'),
    {
      kind: 'list',
      start: 1,
      items: [[paragraph('**Nosferatu** (1922):'), bullets('silent', 'by Murnau')], [paragraph('Dracula')]],
    },
    { kind: 'quote', blocks: [paragraph('Listen to them')] },
    { kind: 'code', text: '{ "q": "**" }' },
    {
      kind: 'table',
      rows: [
        ['film', 'year'],
        ['Dracula', '1931'],
      ],
    },
    bullets('one', 'two'),
  ]);
  // a piece of an answer
  expect(blocksOf('So:\n```\nGET /')).toEqual([paragraph('So:'), { kind: 'code', text: 'GET /' }]);
});

it('a line is cut into spans, and nothing but addresses of the web becomes a link', () => {
  expect(spansOf('**Heat** is *good* `a*b*c` \\*here\\* and __so__ _on_')).toEqual([
    { kind: 'strong', text: 'Heat' },
    text(' is '),
    { kind: 'em', text: 'good' },
    text(' '),
    { kind: 'code', text: 'a*b*c' },
    text(' *here* and '),
    { kind: 'strong', text: 'so' },
    text(' '),
    { kind: 'em', text: 'on' },
  ]);
  expect(spansOf('[film](https://example.com/a), see https://example.com/b.')).toEqual([
    { kind: 'link', text: 'film', href: 'https://example.com/a' },
    text(', see '),
    { kind: 'link', text: 'https://example.com/b', href: 'https://example.com/b' },
    text('.'),
  ]);
  for (const plain of ['[a](javascript:alert(1))', '<b>a</b>', 'snake_case_name', '2 * 3 * 4', '**', 'a_b and c_d'])
    expect(spansOf(plain)).toEqual([text(plain)]);
});

it('no text is lost or holds up the page, wherever it is cut', () => {
  const marks = fc.constantFrom(
    '*',
    '**',
    '_',
    '`',
    '```',
    '\n',
    '- ',
    '  ',
    '> ',
    '1. ',
    '|',
    '|-|',
    '# ',
    'a',
    ' ',
    '[',
    '](',
  );
  const letters = (shown: string) => shown.replaceAll(/[^a]/g, '');
  fc.assert(
    fc.property(fc.array(marks, { maxLength: 60 }), (parts) => {
      const given = parts.join('');
      // the line of a fence names a language
      const wanted = letters(given.replaceAll(/```.*/g, ''));
      expect(letters(JSON.stringify(valuesOf(blocksOf(given)))).length).toBeGreaterThanOrEqual(wanted.length);
      expect(
        letters(
          spansOf(given)
            .map((span) => span.text)
            .join(''),
        ),
      ).toBe(letters(given));
    }),
    { seed: 47, numRuns: 1_000 },
  );
  // what is quadratic in such a text would not end in time
  for (const part of ['*a ', '**a ', '_', '[', '`', '> ', '- ', '|', '__a ']) {
    blocksOf(part.repeat(5_000));
    spansOf(part.repeat(5_000));
  }
});

/** Every text in a value. */
function valuesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const { kind: _kind, ...rest } = value as Record<string, unknown>;
  return Object.values(Array.isArray(value) ? value : rest).flatMap(valuesOf);
}
