import { afterAll, beforeAll, describe } from 'vitest';
import { describeObjectStore } from '../conformance/object-store.test-support.js';
import type { S3Credentials } from './credentials.js';
import { S3Double } from './doubles/s3-double.test-support.js';
import { describeWithVersitygw } from './doubles/versitygw.test-support.js';
import { PART_BYTES_MIN, S3Objects } from './s3-objects.js';
import type { S3Location } from './s3-url.js';

interface Server {
  readonly credentials: S3Credentials;
  location(prefix?: string): S3Location;
}
let count = 0;

/** The suite over a server: each store has a prefix of its own. */
function describeSuite(name: string, server: Server): void {
  // small parts, so that streams of the suite are multipart uploads
  const objects = (prefix: string): S3Objects =>
    new S3Objects({
      location: server.location(prefix),
      credentials: server.credentials,
      partBytes: PART_BYTES_MIN,
      inFlightParts: 2,
    });
  describeObjectStore(name, async () => {
    const prefix = `suite/${++count}`;
    return { objects: objects(prefix), again: () => objects(prefix) };
  });
}

describe('over the double', () => {
  const double = new S3Double();
  beforeAll(async () => void (await double.start()));
  afterAll(() => double.stop());
  describeSuite('S3 double', double);
});

describeWithVersitygw('over versitygw', (server) => {
  beforeAll(() => server.create());
  afterAll(() => server.remove());
  describeSuite('versitygw', server);
});
