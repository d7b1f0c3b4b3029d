import { apiError, libraryLoader, utf8Bytes, utf8Text } from '@fossick/base';
import type * as liquidjs from 'liquidjs';
import type { Context, Liquid, Template } from 'liquidjs';
import { toJsonText } from '../json/lossless-number.js';

/**
 * UTF-16 units of the templates that a thread keeps parsed: four of the longest that settings take. The parsed form has about a hundred
 * times their size.
 */
const KEPT_UNITS = 131_072;
/** What each template counts in addition: an index may have many short ones. */
const ENTRY_UNITS = 256;

/** Characters of a template that is rendered. Settings take fewer (MAX_TEMPLATE_UNITS); those of earlier releases may have as many. */
const PARSE_LIMIT_CHARS = 1_000_000;
/** Milliseconds of one rendering; characters and items that it makes, those of its text included. */
const RENDER_LIMIT_MS = 2_000;
const MEMORY_LIMIT = 50_000_000;
/** A width of four digits or more in a date format. */
const WIDE_FIELD = /%[-_0^#:]*\d{4}/;

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

const requireHere = libraryLoader(import.meta.url);
type Limits = Pick<Context, 'memoryLimit' | 'renderLimit'>;
let loaded:
  | {
      readonly liquid: Liquid;
      readonly isLiquidError: (error: unknown) => boolean;
      /** Without limits given it gets its own. */
      readonly newContext: (variables: object, limits?: Limits) => Context;
    }
  | undefined;
const parsed = new ParsedTemplates();

/** Throws ApiError template_parsing_error when the text is no Liquid template. O(length), some microseconds for each character. */
export function checkTemplate(text: string): void {
  parse(text);
}

/**
 * One rendering of any number of templates. All of them together stay within one limit of time, which begins with the first, and one of
 * memory.
 */
export class Rendering {
  private limits: Limits | undefined;

  /**
   * The text of a Liquid template. Throws ApiError template_parsing_error, and template_rendering_error for unknown names and beyond
   * the limits.
   */
  text(template: string, variables: object): string {
    const { liquid, newContext } = engine();
    this.limits ??= newContext({});
    const { memoryLimit, renderLimit } = this.limits;
    const nodes = parse(template);
    try {
      return String(liquid.renderSync(nodes, newContext(variables, { memoryLimit, renderLimit })));
    } catch (error) {
      throw apiError('template_rendering_error', 'failed', reasonOf(error));
    }
  }
}

/** The longest prefix of a text that fits into `byteCount` bytes of UTF-8 without splitting a character. */
export function cutToBytes(text: string, byteCount: number): string {
  const bytes = utf8Bytes(text);
  if (bytes.length <= byteCount) return text;
  let end = byteCount;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return utf8Text(bytes, 0, end);
}

/**
 * Loaded with the first template: most processes never need it. Templates see only their variables: no files, no
 * prototypes; an unknown name is an error.
 */
function engine(): NonNullable<typeof loaded> {
  if (loaded !== undefined) return loaded;
  const { Context, Liquid, LiquidError } = requireHere('liquidjs') as typeof liquidjs;
  const liquid = new Liquid({
    strictVariables: true,
    strictFilters: true,
    lenientIf: true,
    ownPropertyOnly: true,
    relativeReference: false,
    templates: {},
    outputEscape: outputText,
    parseLimit: PARSE_LIMIT_CHARS,
    renderLimit: RENDER_LIMIT_MS,
    memoryLimit: MEMORY_LIMIT,
  });
  // the library's own filters cannot print wide integers
  for (const name of ['json', 'jsonify', 'inspect'])
    liquid.registerFilter(name, function json(value: unknown) {
      return counted(toJsonText(value) ?? 'null', this.context);
    });
  const date = liquid.filters['date'] as typeof fill;
  function fill(this: unknown, value: unknown, format: unknown, ...others: unknown[]): unknown {
    // a field of enormous width is no date format
    if (typeof format === 'string' && WIDE_FIELD.test(format)) throw new Error('the date format has too wide a field');
    return date.call(this, value, format, ...others);
  }
  liquid.registerFilter('date', fill);
  // the library does not count the text that it makes, which loops make as long as memory
  const renderTemplates = liquid.renderer.renderTemplates.bind(liquid.renderer);
  liquid.renderer.renderTemplates = (templates, context, emitter = new CountedText(context)) =>
    renderTemplates(templates, context, emitter);
  loaded = {
    liquid,
    isLiquidError: (error) => LiquidError.is(error),
    newContext: (variables, limits) => new Context(variables, liquid.options, { sync: true }, { ...limits, liquid }),
  };
  return loaded;
}

function counted(text: string, { memoryLimit }: Limits): string {
  memoryLimit.use(text.length);
  return text;
}

/** Text that is rendered: of a template, or of a part of one. */
class CountedText {
  buffer = '';
  private readonly limits: Limits;

  constructor(limits: Limits) {
    this.limits = limits;
  }
  write(value: unknown): void {
    this.buffer += counted(outputText(value), this.limits);
  }
}

function parse(text: string): Template[] {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  try {
    const template = engine().liquid.parse(text);
    parsed.add(text, template);
    return template;
  } catch (error) {
    throw apiError('template_parsing_error', reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return engine().isLiquidError(error) ? message.split('\n', 1)[0]! : message;
}

/** Objects are printed as JSON, the items of an array one after another. */
function outputText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(outputText).join('');
  if (typeof value !== 'object') return String(value);
  return toJsonText(value);
}
