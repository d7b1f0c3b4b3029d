/** The thread that builds segments for the writer, which reads and stores further documents meanwhile. */
import { faultPoint } from '@fossick/base';
import { announceThread, ownThread, PipeReader, PipeWriter } from '@fossick/threads/own';
import type { ExtractionStart } from './extraction.js';
import { serveExtraction } from './extractor.js';

const { requests, responses } = ownThread<ExtractionStart>().start;
faultPoint('extraction.start');
announceThread([requests, responses]);
serveExtraction(new PipeReader(requests, true), new PipeWriter(responses));
