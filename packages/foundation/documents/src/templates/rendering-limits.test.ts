import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { documentVariables, renderDocumentText, renderFragment } from './document-text.js';
import { ParsedTemplates } from './liquid-text.js';

const variables = documentVariables({ id: 1, name: 'n'.repeat(1_000) });
const failed = expect.objectContaining({ code: 'template_rendering_error' });

describe('parsed templates', () => {
  it('are kept up to a limit of their characters, those used last', () => {
    const kept = new ParsedTemplates();
    const texts = Array.from({ length: 8 }, (_, i) => `${i}${'x'.repeat(30_000)}`);
    for (const text of texts) {
      kept.add(text, []);
      kept.get(texts[0]!);
    }
    expect(kept.keptUnits).toBeLessThanOrEqual(131_072);
    expect(texts.map((text) => kept.get(text) !== undefined)).toEqual([
      ...[true, false, false, false],
      ...[false, true, true, true],
    ]);
  });

  it('include the last one whatever its length, because the next document needs it', () => {
    const kept = new ParsedTemplates();
    kept.add('short', []);
    kept.add('x'.repeat(900_000), []);
    expect([kept.get('short'), kept.get('x'.repeat(900_000))]).toEqual([undefined, []]);
  });

  it('many short ones count as well', () => {
    const kept = new ParsedTemplates();
    for (let i = 0; i < 10_000; i++) kept.add(`${i}`, []);
    expect(kept.keptUnits).toBeLessThanOrEqual(131_072);
    expect(kept.get('0')).toBeUndefined();
  });
});

describe('a rendering', () => {
  // its limit of time is never reached
  beforeEach(() => void vi.spyOn(performance, 'now').mockReturnValue(0));
  afterEach(() => void vi.restoreAllMocks());

  it('counts the text that it makes, also of templates without variables', () => {
    const loops = (inner: string) => `{% for i in (1..1000) %}{% for j in (1..1000) %}${inner}{% endfor %}{% endfor %}`;
    for (const inner of ['x'.repeat(1_000), '{{ doc.name }}', '{{ doc | json | size }}'])
      expect(() => renderDocumentText(loops(inner), variables, 10)).toThrow(failed);
  });

  it('has one limit for all texts of a fragment', () => {
    // each takes a quarter of what one rendering may make
    const part = '{% for i in (1..12000) %}{{ doc.name }}{% endfor %}';
    expect(() => renderFragment([part, part], variables)).not.toThrow();
    expect(() => renderFragment([part, part, part, part, part], variables)).toThrow(failed);
  });
});
