import { createRequire } from 'node:module';
import { apiError } from '@fossick/base';
import { toJsonText } from '@fossick/documents';
import type * as liquidjs from 'liquidjs';
import type { Liquid, Template } from 'liquidjs';

/** Limits of a template: characters parsed, milliseconds rendered, characters and items allocated. */
const PARSE_LIMIT_CHARS = 1_000_000;
const RENDER_LIMIT_MS = 2_000;
const MEMORY_LIMIT = 50_000_000;
const CACHED_TEMPLATE_COUNT = 64;
/** A width of four digits or more in a date format. */
const WIDE_FIELD = /%[-_0^#:]*\d{4}/;

const require = createRequire(import.meta.url);
let loaded: { readonly liquid: Liquid; readonly isLiquidError: (error: unknown) => boolean } | undefined;
const parsed = new Map<string, Template[]>();

/** Throws ApiError template_parsing_error when the text is no Liquid template. O(length). */
export function checkTemplate(text: string): void {
  parse(text);
}

/**
 * Renders a Liquid template. Throws ApiError template_parsing_error, and template_rendering_error for unknown names.
 */
export function renderTemplate(text: string, variables: object): string {
  const template = parse(text);
  try {
    return String(engine().liquid.renderSync(template, variables));
  } catch (error) {
    throw apiError('template_rendering_error', 'failed', reasonOf(error));
  }
}

/** The longest prefix of a text that fits into `byteCount` bytes of UTF-8 without splitting a character. */
export function cutToBytes(text: string, byteCount: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= byteCount) return text;
  let end = byteCount;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}

/**
 * Loaded with the first template: most processes never need it. Templates see only their variables: no files, no
 * prototypes; an unknown name is an error.
 */
function engine(): NonNullable<typeof loaded> {
  if (loaded !== undefined) return loaded;
  const { Liquid, LiquidError } = require('liquidjs') as typeof liquidjs;
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
    liquid.registerFilter(name, (value: unknown) => toJsonText(value) ?? 'null');
  const date = liquid.filters['date'] as typeof fill;
  function fill(this: unknown, value: unknown, format: unknown, ...others: unknown[]): unknown {
    // a field of enormous width is no date format
    if (typeof format === 'string' && WIDE_FIELD.test(format)) throw new Error('the date format has too wide a field');
    return date.call(this, value, format, ...others);
  }
  liquid.registerFilter('date', fill);
  loaded = { liquid, isLiquidError: (error) => LiquidError.is(error) };
  return loaded;
}

function parse(text: string): Template[] {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  try {
    const template = engine().liquid.parse(text);
    if (parsed.size >= CACHED_TEMPLATE_COUNT) parsed.clear();
    parsed.set(text, template);
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
