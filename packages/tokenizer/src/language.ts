import type { Script } from "./data/script-ranges.js";
import { countCj } from "./script.js";

/** The languages that make a difference somewhere in the pipeline; any other locale is `none of these`. */
export type Language = "swe" | "deu" | "cmn" | "jpn" | "ara" | "pes" | "elsewhere";

const LANGUAGES: ReadonlyMap<string, Language> = new Map([
  ["swe", "swe"],
  ["sv", "swe"],
  ["deu", "deu"],
  ["de", "deu"],
  ["cmn", "cmn"],
  ["zho", "cmn"],
  ["zh", "cmn"],
  ["jpn", "jpn"],
  ["ja", "jpn"],
  ["ara", "ara"],
  ["ar", "ara"],
  ["pes", "pes"],
  ["fa", "pes"],
  ["fas", "pes"],
]);
const PERSIAN_ONLY = /[پچژکگیۀ۰-۹]/;
const SWEDISH_ONLY = /[åäöÅÄÖ]|[aoAO]\u0308|[aA]\u030A/;
const KANA_SHARE_OF_JAPANESE = 0.05;

/**
 * An allow-list of languages in our own terms. `only`: the list names a single language, so there is nothing to
 * detect.
 */
export interface AllowList {
  readonly only: Language | undefined;
  readonly languages: ReadonlySet<Language>;
}

/** Undefined when there is no list, or an empty one. */
export function allowListOf(locales: readonly string[] | undefined): AllowList | undefined {
  if (locales === undefined || locales.length === 0) return undefined;
  const languages = locales.map((locale) => LANGUAGES.get(locale.toLowerCase()) ?? "elsewhere");
  const isSingle = new Set(languages).size === 1 && (locales.length === 1 || languages[0] !== "elsewhere");
  return { only: isSingle ? languages[0] : undefined, languages: new Set(languages) };
}

/**
 * Language of a group (spec 10 section 3), undefined when it is not looked for. Where the list leaves a choice,
 * detection goes by the letters
 * that only one of the languages uses. O(length) for Cj and Arabic, O(1) for the scripts with a single segmenter.
 */
export function detectLanguage(
  text: string,
  start: number,
  end: number,
  script: Script,
  allowed: AllowList | undefined,
): Language | undefined {
  if (script !== "latin" && script !== "cj" && script !== "arabic") return undefined;
  if (allowed?.only !== undefined) return allowed.only;
  if (script === "cj") return detectCj(text, start, end, allowed);
  if (script === "arabic") return detectArabic(text.slice(start, end), allowed);
  return allowed?.languages.has("swe") && SWEDISH_ONLY.test(text.slice(start, end)) ? "swe" : undefined;
}

function detectCj(text: string, start: number, end: number, allowed: AllowList | undefined): Language {
  if (allowed !== undefined && !allowed.languages.has("cmn")) return "jpn";
  const { han, hiragana, katakana } = countCj(text, start, end);
  const kana = hiragana + katakana;
  if (hiragana > han || katakana > han) return "jpn";
  return kana > KANA_SHARE_OF_JAPANESE * (kana + han) ? "jpn" : "cmn";
}

function detectArabic(group: string, allowed: AllowList | undefined): Language | undefined {
  const isAllowed = (language: Language): boolean => allowed === undefined || allowed.languages.has(language);
  if (isAllowed("pes") && (PERSIAN_ONLY.test(group) || !isAllowed("ara"))) return "pes";
  return isAllowed("ara") ? "ara" : undefined;
}
