import type { Reference } from '@fossick/api/openapi';
import type { FastifyReply } from 'fastify';
import { type ServerContext, sendBytes } from '../../context.js';
import { constantAnswer } from '../../http/answers/compression.js';
import type { Router } from '../../http/router.js';

/** The API description for programs and people; no key is required. Made on the first request. */
export function registerReference(router: Router, context: ServerContext): void {
  let made: Promise<Reference> | undefined;
  const reference = (): Promise<Reference> => {
    made ??= (async () => {
      const [{ Reference }, parts] = await Promise.all([import('@fossick/api/openapi'), context.extensions.describe()]);
      const taskTypes = context.tasks.kinds.map(({ type }) => type);
      return new Reference([...parts, { tags: {}, operations: [], features: context.features.added, taskTypes }]);
    })();
    return made;
  };
  router.on('GET', '/openapi.json', async (_request, reply) =>
    sendBytes(reply, constantAnswer((await reference()).json)),
  );
  router.on('GET', '/docs', async (_request, reply): Promise<FastifyReply> => {
    const { page, policy } = await reference();
    return reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', policy)
      .header('x-content-type-options', 'nosniff')
      .send(constantAnswer(page));
  });
}
