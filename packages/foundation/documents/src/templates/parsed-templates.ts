import type { Template } from 'liquidjs';

/**
 * UTF-16 units of the templates that a thread keeps parsed: four of the longest that settings take. The parsed form has about a hundred
 * times their size.
 */
const KEPT_UNITS = 131_072;
/** What each template counts in addition: an index may have many short ones. */
const ENTRY_UNITS = 256;

/** Parsed templates by their text. Those used last are kept, up to a limit of their characters in all. */
export class ParsedTemplates {
  private readonly kept = new Map<string, Template[]>();
  private units = 0;

  get(text: string): Template[] | undefined {
    const found = this.kept.get(text);
    if (found === undefined) return undefined;
    this.kept.delete(text);
    this.kept.set(text, found);
    return found;
  }

  /** Keeps a template that is not kept yet; the last one in any case, because it may be rendered for each document. */
  add(text: string, template: Template[]): void {
    this.kept.set(text, template);
    this.units += text.length + ENTRY_UNITS;
    for (const oldest of this.kept.keys()) {
      if (this.units <= KEPT_UNITS || this.kept.size === 1) return;
      this.kept.delete(oldest);
      this.units -= oldest.length + ENTRY_UNITS;
    }
  }

  /** What is kept counts so much, in UTF-16 units. */
  get keptUnits(): number {
    return this.units;
  }
}
