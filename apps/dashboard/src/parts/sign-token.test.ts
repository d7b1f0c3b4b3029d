import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { signToken } from './sign-token.js';

it('a token is signed as RFC 7519 says, whatever its claims hold', async () => {
  const claims = { apiKeyUid: 'u', searchRules: { books: { filter: 'author = "Ŝé~?>"' } }, exp: 1 };
  const [head, said, signature] = (await signToken(claims, 'the key of a shop')).split('.');
  expect(JSON.parse(Buffer.from(head!, 'base64url').toString())).toEqual({ alg: 'HS256', typ: 'JWT' });
  expect(JSON.parse(Buffer.from(said!, 'base64url').toString())).toEqual(claims);
  expect(signature).toBe(createHmac('sha256', 'the key of a shop').update(`${head}.${said}`).digest('base64url'));
});
