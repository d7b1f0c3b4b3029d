import type { Script } from "./data/script-ranges.js";
import type { Language } from "./language.js";

/** Cuts one piece between separators in words: answers their UTF-16 lengths in order, which add up to the piece's. */
export type Segment = (piece: string) => readonly number[];

const KEPT_CHINESE = /^[0-9A-Za-z]+$/;
const ARABIC_ARTICLE = /^(?:ال|أل|إل|آل|ٱل)/;
const ARABIC_ARTICLE_LENGTH = 2;
/** A piece this short is its own word whatever begins it: 4 bytes are two Arabic letters. */
const ARABIC_SHORT_BYTES = 4;
const WORD_CACHE_SIZE = 50_000;

/**
 * The segmenter of a script and language (spec 10 sections 3 and 5); undefined is the identity. The platform's word
 * lists (ICU) stand in
 * for the reference's dictionaries, so Chinese, Japanese, Thai and Khmer words may be cut elsewhere. Two packs have
 * no word list here and
 * keep the piece whole: Korean (ICU cuts it at white space, which the separators have done) and German compounds.
 */
export function segmenterOf(script: Script, language: Language | undefined): Segment | undefined {
  switch (script) {
    case "cj":
      return language === "jpn" ? segmentJapanese : language === "cmn" ? segmentChinese : undefined;
    case "thai":
      return segmentThai;
    case "khmer":
      return segmentKhmer;
    case "arabic":
      return language === "ara" || language === "pes" ? segmentArabic : undefined;
    default:
      return undefined;
  }
}

const segmentJapanese = platformSegmenter("ja");
const segmentThai = platformSegmenter("th");
const segmentKhmer = platformSegmenter("km");
const segmentPlatformChinese = platformSegmenter("zh");
const chineseWords = new Map<string, boolean>();

function platformSegmenter(locale: string): Segment {
  let segmenter: Intl.Segmenter | undefined;
  return (piece) => {
    segmenter ??= new Intl.Segmenter(locale, { granularity: "word" });
    return Array.from(segmenter.segment(piece), ({ segment }) => segment.length);
  };
}

function segmentArabic(piece: string): readonly number[] {
  if (Buffer.byteLength(piece) <= ARABIC_SHORT_BYTES || !ARABIC_ARTICLE.test(piece)) return [piece.length];
  return [ARABIC_ARTICLE_LENGTH, piece.length - ARABIC_ARTICLE_LENGTH];
}

function segmentChinese(piece: string): readonly number[] {
  const lengths: number[] = [];
  let at = 0;
  for (const length of segmentPlatformChinese(piece)) {
    const word = piece.slice(at, at + length);
    at += length;
    const chars = [...word];
    if (chars.length <= 2 || KEPT_CHINESE.test(word)) lengths.push(length);
    else recutChinese(chars, lengths);
  }
  return lengths;
}

/** Long words are cut again in words of two characters, else three, else one, so that a part of a compound is found. */
function recutChinese(chars: readonly string[], lengths: number[]): void {
  for (let at = 0; at < chars.length; ) {
    const size = [2, 3].find(
      (count) => at + count <= chars.length && isChineseWord(chars.slice(at, at + count).join("")),
    );
    const taken = chars.slice(at, at + (size ?? 1));
    lengths.push(taken.join("").length);
    at += taken.length;
  }
}

function isChineseWord(word: string): boolean {
  const known = chineseWords.get(word);
  if (known !== undefined) return known;
  if (chineseWords.size >= WORD_CACHE_SIZE) chineseWords.clear();
  const isWord = segmentPlatformChinese(word).length === 1;
  chineseWords.set(word, isWord);
  return isWord;
}
