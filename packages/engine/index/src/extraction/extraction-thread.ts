/** The thread that builds segments for the writer, which reads and stores further documents meanwhile. */
import { workerData } from 'node:worker_threads';
import { faultPoint } from '@fossick/base';
import { announceThread, PipeReader, PipeWriter } from '../threads/byte-pipe.js';
import { serveExtraction } from './extractor.js';

const { requests, responses } = workerData as {
  readonly requests: SharedArrayBuffer;
  readonly responses: SharedArrayBuffer;
};
faultPoint('extraction.start');
announceThread([requests, responses]);
serveExtraction(new PipeReader(requests, true), new PipeWriter(responses));
