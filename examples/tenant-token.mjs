/**
 * Prints a tenant token: `node tenant-token.mjs KEY UID RULES`. KEY: the value of an API key that may search; UID: its
 * uid; RULES: JSON that names the indexes, each with a filter that every search gets. The token is valid for an hour.
 */
import { createHmac } from 'node:crypto';

const [key, apiKeyUid, rules] = process.argv.slice(2);
const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = { apiKeyUid, searchRules: JSON.parse(rules), exp: Math.floor(Date.now() / 1000) + 3600 };
const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
console.log(`${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`);
