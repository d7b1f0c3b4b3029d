import { MAX_TEMPLATE_COUNT, MAX_TEMPLATE_UNITS, MAX_TEMPLATES_UNITS } from '@fossick/base';

/** Counts the templates of one request, without parsing any. */
export class TemplateSizes {
  private units = 0;
  private count = 0;

  /**
   * Adds a value whose strings are templates, at any depth: a template, or a fragment. Returns why it is too large, as the end of a
   * sentence; undefined while all values so far are within the limits. O(values)
   */
  add(value: unknown): string | undefined {
    if (typeof value === 'string') return this.addText(value);
    if (typeof value !== 'object' || value === null) return undefined;
    for (const member of Object.values(value)) {
      const fault = this.add(member);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  private addText({ length }: string): string | undefined {
    if (length > MAX_TEMPLATE_UNITS)
      return `it has ${length} characters, and a template has at most ${MAX_TEMPLATE_UNITS}`;
    this.count += 1;
    this.units += length;
    if (this.count > MAX_TEMPLATE_COUNT)
      return `it is one of more than ${MAX_TEMPLATE_COUNT} templates, and no more are taken together`;
    if (this.units > MAX_TEMPLATES_UNITS)
      return `with it, all templates have more than ${MAX_TEMPLATES_UNITS} characters, and no more are taken together`;
    return undefined;
  }
}
