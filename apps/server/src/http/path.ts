const ESCAPE_OR_PERCENT = /(?:%[0-9a-f]{2})+|%/gi;
const decoder = new TextDecoder('utf-8');

/**
 * A request target with a decodable path: a `%` that begins no escape stands for itself, and escaped bytes that are not
 * UTF-8 become U+FFFD. The route then checks the name, where the router would refuse the path as unknown.
 */
export function repairPath(target: string): string {
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  if (!path.includes('%') || isDecodable(path)) return target;
  const repaired = path.replace(ESCAPE_OR_PERCENT, (part) => {
    if (part === '%') return '%25';
    return isDecodable(part) ? part : encodeURIComponent(decoder.decode(Buffer.from(part.replaceAll('%', ''), 'hex')));
  });
  return mark < 0 ? repaired : repaired + target.slice(mark);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
