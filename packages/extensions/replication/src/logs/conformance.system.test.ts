import { S3Objects } from '@fossick/objects/s3';
import { S3Double } from '@fossick/objects/s3/doubles/s3-double.test-support';
import { describeWithVersitygw } from '@fossick/objects/s3/doubles/versitygw.test-support';
import { afterAll, beforeAll, describe } from 'vitest';
import { describeCommitLog } from '../conformance/commit-log.test-support.js';
import { ObjectLog } from './object-log.js';

let count = 0;

/** The suite over a server: each log has a prefix of its own. */
function describeSuite(name: string, server: Pick<S3Double, 'credentials' | 'location'>): void {
  describeCommitLog(`of objects, ${name}`, async () => {
    const location = server.location(`suite/${++count}`);
    const log = (): ObjectLog => {
      const objects = new S3Objects({ location, credentials: server.credentials });
      return new ObjectLog({ objects, name: 'main' });
    };
    return { log: log(), again: async () => log() };
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
