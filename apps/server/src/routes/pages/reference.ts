import type { FastifyReply } from 'fastify';
import { sendBytes } from '../../context.js';
import { constantAnswer } from '../../http/answers/compression.js';
import type { Router } from '../../http/router.js';

/** The API description for programs and people; no key is required. Made on the first request. */
export function registerReference(router: Router): void {
  let made: Promise<typeof import('@fossick/api/openapi')> | undefined;
  const reference = (): NonNullable<typeof made> => {
    made ??= import('@fossick/api/openapi');
    return made;
  };
  router.on('GET', '/openapi.json', async (_request, reply) =>
    sendBytes(reply, constantAnswer((await reference()).referenceJson())),
  );
  router.on('GET', '/docs', async (_request, reply): Promise<FastifyReply> => {
    const { page, policy } = (await reference()).referencePage();
    return reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', policy)
      .header('x-content-type-options', 'nosniff')
      .send(constantAnswer(page));
  });
}
