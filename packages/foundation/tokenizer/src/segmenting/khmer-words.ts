import { utf8Text } from '@fossick/base';
import { readOwnFile } from './package-file.js';

/** ICU's 81 028 Khmer words, distinct and in order of their UTF-16 units. O(total length). */
export function readKhmerWords(): string[] {
  return utf8Text(readOwnFile('dictionaries/khmer.gz')).trimEnd().split('\n');
}
