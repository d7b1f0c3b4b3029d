const NUMERIC_ONLY = /^[\p{N}!-/:-@[-`{-~]+$/u;
const HAS_DIGIT = /\p{N}/u;

/** Whether a word is a number, which `disableOnNumbers` takes as it is: digits, and signs of ASCII between them. */
export function isNumeric(lemma: string): boolean {
  return NUMERIC_ONLY.test(lemma) && HAS_DIGIT.test(lemma);
}
