import { describe, expect, it } from 'vitest';
import { parseDocument } from '../json/parse-document.js';
import { DEFAULT_DOCUMENT_TEMPLATE, documentVariables, renderDocumentText, renderFragment } from './document-text.js';
import { checkTemplate } from './liquid-text.js';

const kefir = { id: 1, name: 'kefir', meta: { colour: 'brown', age: null }, tags: ['a', 'b'], _vectors: { e: [1] } };
const isSearchable = (name: string) => name === 'name' || name.startsWith('meta');
const text = (template: string, maxBytes = 400) =>
  renderDocumentText(template, documentVariables(kefir, isSearchable), maxBytes);

describe('document templates', () => {
  it('render the searchable fields by default, nested ones with dots', () => {
    expect(text(DEFAULT_DOCUMENT_TEMPLATE)).toBe('name: kefir\nmeta.colour: brown\n');
  });

  it('see the document, its arrays and objects, but no vectors', () => {
    expect(text('{{ doc.name | upcase }} {{ doc.tags }} {{ doc.meta.colour }} {{ doc.meta }}')).toBe(
      'KEFIR ab brown {"colour":"brown","age":null}',
    );
    expect(() => text('{{ doc._vectors }}')).toThrow(expect.objectContaining({ code: 'template_rendering_error' }));
  });

  it('see plain numbers, whatever their spelling, and print nothing else', () => {
    const document = parseDocument(
      '{"id":9007199254740993,"price":1.0,"all":{"n":[-0.0,1e30,2.5],"wide":18446744073709551615}}',
    );
    const rendered = (template: string) =>
      renderDocumentText(template, documentVariables(document, isSearchable), 1000);
    expect(rendered('{{ doc.price | json }} {{ doc.price | inspect }} {{ doc.price }} {{ doc.id }}')).toBe(
      '1 1 1 9007199254740993',
    );
    expect(rendered('{{ doc.all | json }}')).toBe('{"n":[0,1e+30,2.5],"wide":18446744073709551615}');
    expect(rendered('{{ doc.all }}')).toBe('{"n":[0,1e+30,2.5],"wide":18446744073709551615}');
    expect(rendered('{% if doc.price == 1 %}one{% endif %} {{ doc.price | plus: 1.5 }}')).toBe('one 2.5');
  });

  it('are cut at whole characters', () => {
    expect(text('né{{ doc.name }}', 2)).toBe('n');
    expect(text('né{{ doc.name }}', 3)).toBe('né');
  });

  it('fail on unknown names and filters, and on invalid templates', () => {
    for (const template of ['{{ doc.colour }}', '{{ other }}'])
      expect(() => text(template)).toThrow(expect.objectContaining({ code: 'template_rendering_error' }));
    for (const template of ['{{ doc.name', '{% if %}', '{% nothing %}'])
      expect(() => checkTemplate(template)).toThrow(expect.objectContaining({ code: 'template_parsing_error' }));
    expect(text('{% if doc.colour %}a{% else %}b{% endif %}')).toBe('b');
  });

  it('read no files', () => {
    for (const template of ["{% include 'package.json' %}", "{% render '/etc/hostname' %}"])
      expect(() => text(template)).toThrow(expect.objectContaining({ code: expect.stringContaining('template_') }));
  });

  it('refuse to render a search', () => {
    expect(() => renderDocumentText('x', { q: 'x' }, 10)).toThrow(
      expect.objectContaining({ code: 'template_rendering_error' }),
    );
  });

  it('are the strings of a fragment', () => {
    const fragment = { kind: 'text', parts: ['{{ q }}', { url: '{{ media.url }}' }, 5, null] };
    expect(renderFragment(fragment, { q: 'dog', media: { url: 'u' } })).toEqual({
      kind: 'text',
      parts: ['dog', { url: 'u' }, 5, null],
    });
  });
});
