import { registerRoutes } from '../app.js';
import type { ServerContext } from '../context.js';
import { Router } from '../http/router.js';

/** The routes of the application, as it registers them. */
export function routeTable(): { method: string; url: string }[] {
  const table: { method: string; url: string }[] = [];
  class Recorder extends Router {
    override on(method: string, url: string): void {
      table.push({ method, url });
    }
  }
  // routes take from their context what they need when they are asked; anything, also a number, stands for it until then
  const anything: object = new Proxy(() => anything, {
    get: (_, name) => (name === Symbol.toPrimitive ? () => 1 : anything),
  });
  registerRoutes(new Recorder(undefined as never), anything as ServerContext);
  return table;
}
