/** Answers of a server in a test, held against the schemas that the OpenAPI document shows. */
import { type Operation, zodOf } from '@fossick/api/openapi';
import { allOperations } from '../extensions/extension-parts.test-support.js';

interface Answer {
  readonly status: number;
  readonly mediaType: string;
  readonly text: string;
}

/** Those with fewer placeholders come first. */
const BY_PLACEHOLDERS = [...allOperations].sort((a, b) => a.path.split('{').length - b.path.split('{').length);

function operationOf(method: string, path: string): Operation | undefined {
  const steps = path.split('/');
  return BY_PLACEHOLDERS.find((operation) => {
    const wanted = operation.path.split('/');
    if (operation.method !== method.toLowerCase() || wanted.length !== steps.length) return false;
    return wanted.every((step, at) => step.startsWith('{') || step === steps[at]);
  });
}

/** Throws for a JSON answer of success that its operation does not describe: another status, another value, a member that its schema does not have. */
export function checkAnswer(method: string, url: string, { status, mediaType, text }: Answer): void {
  if (status < 200 || status > 299 || !mediaType.startsWith('application/json') || text === '') return;
  const path = url.replace(/[?#].*$/s, '');
  const request = `${method} ${path}, ${status}`;
  const operation = operationOf(method, path);
  if (operation === undefined) throw new Error(`${request}: no operation of this method and path`);
  const schema = operation.answers.find((answer) => answer.status === status)?.schema;
  if (schema === undefined) throw new Error(`${request}: ${operation.id} has no answer of this status`);
  const { error } = zodOf(schema).safeParse(JSON.parse(text));
  if (error !== undefined)
    throw new Error(`${request}: no answer of ${operation.id}: ${error.message}\n${text.slice(0, 2_000)}`);
}
