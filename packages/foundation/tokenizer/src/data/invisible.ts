/**
 * Characters without a sign of their own, as inclusive hexadecimal ranges: soft hyphen, joiners, marks and controls of direction, word joiner,
 * byte order mark, variation selectors, fillers, tags, and marks that enclose a character. A word is found with and without them.
 * U+200B is not among them: it says where words end, and separates.
 */
export const INVISIBLE_RANGES = `
00AD 034F 0488-0489 061C 115F-1160 17B4-17B5 180B-180F 1ABE 200C-200F 202A-202E 2060-206F 20DD-20E0 20E2-20E4 3164
A670-A672 FE00-FE0F FEFF FFA0 FFF0-FFFB 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF
`;
