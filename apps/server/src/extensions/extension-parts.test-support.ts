/** The routes and operations of all extensions, without a server. */
import { OPERATIONS, type Operation } from '@fossick/api/openapi';
import { OptionTable, OptionValues } from '@fossick/instance';
import type { ApiPart, ExtensionHost, ExtensionRoute, OpenExtension } from '@fossick/runtime/extension';
import { EXTENSIONS } from './extension-list.js';

// an extension takes from its host what it needs when it is asked; anything, also a number, stands for it until then
const anything: object = new Proxy(() => anything, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => 1 : anything),
});
const values = new OptionValues(new Map(), new OptionTable(EXTENSIONS.flatMap(({ options }) => options ?? [])));
const opened: OpenExtension[] = await Promise.all(
  EXTENSIONS.map((extension) => extension.configure(values).open(anything as ExtensionHost)),
);

export const extensionRoutes: readonly ExtensionRoute[] = opened.flatMap(({ routes }) => routes ?? []);
/** In the order of the list; one without routes has an empty part. */
export const extensionParts: readonly ApiPart[] = await Promise.all(
  opened.map((one) => one.describe?.() ?? { tags: {}, operations: [] }),
);
/** Those of the core, and of extensions. */
export const allOperations: readonly Operation[] = [
  ...OPERATIONS,
  ...extensionParts.flatMap(({ operations }) => operations),
];
