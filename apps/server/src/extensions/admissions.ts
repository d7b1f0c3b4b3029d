import { ApiError } from '@fossick/base';
import type { Guard } from '@fossick/instance/access';
import type { AdmittedRequest, OpenExtension } from '@fossick/runtime/extension';
import type { FastifyInstance, FastifyReply } from 'fastify';

type Admission = NonNullable<OpenExtension['admit']>;

/** Lets extensions delay and refuse requests, and add headers to their answers. A server whose extensions do neither has no hook for it. */
export function registerAdmissions(
  app: FastifyInstance,
  admissions: readonly Admission[],
  guard: Pick<Guard, 'authenticate'>,
): void {
  if (admissions.length === 0) return;
  const listeners = new WeakMap<FastifyReply, (() => void)[]>();
  app.addHook('onRequest', async ({ headers, method, url, raw }, reply) => {
    const ofReply: (() => void)[] = [];
    listeners.set(reply, ofReply);
    const admitted: AdmittedRequest = {
      ...{ headers, method, url, connection: raw.socket },
      isKnown: () => isKnown(guard, headers.authorization),
      setHeader: (name, value) => void reply.header(name, value),
      onAnswer: (listener) => void ofReply.push(listener),
    };
    for (const admit of admissions) await admit(admitted);
  });
  app.addHook('onSend', async (_, reply) => {
    for (const listener of listeners.get(reply) ?? []) listener();
  });
}

function isKnown(guard: Pick<Guard, 'authenticate'>, authorization: string | undefined): boolean {
  try {
    guard.authenticate(authorization);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}
