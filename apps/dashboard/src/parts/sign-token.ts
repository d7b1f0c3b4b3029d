/** A JSON web token, HS256. */
export async function signToken(claims: object, secret: string): Promise<string> {
  const encoder = new TextEncoder();
  const said = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map((part) => base64Url(encoder.encode(JSON.stringify(part))))
    .join('.');
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ]);
  const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(said));
  return `${said}.${base64Url(new Uint8Array(signature))}`;
}
function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
