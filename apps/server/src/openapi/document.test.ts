import { openApiDocument, pageOf, Reference, zodOf } from '@fossick/api/openapi';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { registerRoutes } from '../app.js';
import type { ServerContext } from '../context.js';
import { allOperations, extensionParts, extensionRoutes } from '../extensions/extension-parts.test-support.js';
import { Router } from '../http/router.js';

/** Whatever the name of a parameter is. */
const shape = (method: string, path: string): string =>
  `${method.toUpperCase()} ${path.replace(/:\w+/g, '{}').replace(/\{\w*\}/g, '{}')}`;

/** Every route that the application registers. */
function registeredRoutes(): string[] {
  const routes: string[] = [];
  const router = new Router({ route: () => undefined } as never);
  router.on = (method, url) => {
    routes.push(shape(String(method), url));
  };
  // nothing of a context is used before a route is asked
  const anything: unknown = new Proxy(() => undefined, {
    get: (_target, name) => (name === Symbol.toPrimitive ? () => 1 : anything),
  });
  registerRoutes(router, anything as ServerContext);
  for (const { method, path } of extensionRoutes) routes.push(shape(method, path));
  return routes.sort();
}

describe('the document of OpenAPI', () => {
  it('has every route, and no other', () => {
    const described = allOperations.map(({ method, path }) => shape(method, path));
    expect(new Set(described).size).toBe(described.length);
    expect(described.sort()).toEqual(registeredRoutes());
  });

  it('names every operation once', () => {
    const ids = allOperations.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(
    allOperations.map((operation) => [operation.id, operation] as const),
  )('%s has examples that its schemas take', (_id, { body, answers }) => {
    if (body !== undefined) expect(zodOf(body.schema).safeParse(body.example).error?.message).toBeUndefined();
    for (const { schema, example, status } of answers)
      if (example !== undefined)
        expect([status, schema && zodOf(schema).safeParse(example).error?.message]).toEqual([status, undefined]);
  });

  it('is clean for a public linter', async () => {
    const config = await createConfig({ extends: ['recommended'], rules: { 'operation-4xx-response': 'off' } });
    const source = JSON.stringify(openApiDocument(extensionParts));
    const found = await lintFromString({ source, absoluteRef: 'openapi.json', config });
    // the one route that is only ever refused
    const others = found.filter(({ location }) => !location[0]?.pointer?.startsWith('#/paths/~1network~1control/'));
    expect(others.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer ?? ''} ${message}`)).toEqual(
      [],
    );
  });

  it('refers to nothing that it lacks', () => {
    const text = JSON.stringify(openApiDocument(extensionParts));
    const { schemas } = (JSON.parse(text) as { components: { schemas: object } }).components;
    const wanted = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!));
    expect([...wanted].filter((name) => !Object.hasOwn(schemas, name))).toEqual([]);
  });

  it('is shown by a page without scripts, with every operation and every link leading somewhere', () => {
    const page = pageOf(openApiDocument(extensionParts));
    expect(page).not.toMatch(/<(script|link|img|iframe)|\ssrc=|\son\w+="/i);
    for (const { summary } of allOperations) expect(page).toContain(summary.replaceAll('&', '&amp;'));
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    const anchors = new Set(ids);
    expect(anchors.size).toBe(ids.length);
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.filter((id) => !anchors.has(id))).toEqual([]);
    expect(new Reference().policy).toMatch(/default-src 'none'; style-src 'sha256-/);
  });
});
