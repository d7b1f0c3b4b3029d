import type { IncomingHttpHeaders } from 'node:http';
import type { Access } from '@fossick/instance/access';
import type { BodyName } from '@fossick/search-service';
import type { PartedBytes } from './answers/parted-bytes.js';

/** A request that is authorised and whose body is parsed. */
export interface JsonQuestion {
  readonly access: Access;
  /** From the path; empty when it has none. */
  readonly indexUid: string;
  readonly headers: IncomingHttpHeaders;
  readonly connection: object;
  readonly received: unknown;
}
/** A refusal that is not an ApiError: status and body. */
export interface JsonRefusal {
  readonly status: number;
  readonly json: object;
}

/** A POST route with a JSON body and an answer of JSON bytes. */
export interface JsonRoute {
  /** Its pattern: `/indexes/:indexUid/NAME`, or a path without placeholders. */
  readonly url: string;
  readonly body: BodyName;
  /** Called before the body is parsed. @throws ApiError */
  authorize(headers: IncomingHttpHeaders, indexUid: string): Access;
  /** @throws ApiError */
  answer(question: JsonQuestion): Promise<Buffer | PartedBytes | JsonRefusal>;
}
