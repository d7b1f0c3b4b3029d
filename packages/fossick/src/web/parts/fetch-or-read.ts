import { readPlatformFile } from '@fossick/base';

/** `fetch` that reads files as well, where the platform has them: that of Node.js does not. */
export const fetchOrRead: typeof fetch = async (address, init) => {
  const bytes = address instanceof Request ? undefined : readPlatformFile(address);
  return bytes === undefined ? fetch(address, init) : new Response(bytes as Uint8Array<ArrayBuffer>);
};
