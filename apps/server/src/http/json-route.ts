import type { IncomingHttpHeaders } from 'node:http';
import type { Access } from '@fossick/access';

/** A request whose bearer was let in and whose body was parsed. */
export interface JsonQuestion {
  readonly access: Access;
  /** Of the path; empty where it names none. */
  readonly indexUid: string;
  readonly headers: IncomingHttpHeaders;
  readonly received: unknown;
}
/** An answer that is no list of findings, but a refusal of its own. */
export interface JsonRefusal {
  readonly status: number;
  readonly json: object;
}

/** A route that takes JSON by POST and answers with bytes of JSON: it needs nothing of a framework. */
export interface JsonRoute {
  /** Its pattern, as metrics name it: `/indexes/:indexUid/NAME`, or a path without placeholders. */
  readonly url: string;
  /** Asked before the body is looked at. @throws ApiError */
  authorize(headers: IncomingHttpHeaders, indexUid: string): Access;
  /** @throws ApiError */
  answer(question: JsonQuestion): Promise<Buffer | JsonRefusal>;
}
