import { DEFAULT_PAGE_LIMIT, type ErrorCode } from '@fossick/base';
import { count, type Field, optional } from '@fossick/base/contract';

/** The members of a request for a part of a list. */
export type PageFields = {
  readonly offset: Field<number, number>;
  /** 20 when absent. */
  readonly limit: Field<number, number>;
};

/** The members of a request for a part of a list, with the codes of their errors. */
export const pageFields = (offsetCode: ErrorCode, limitCode: ErrorCode): PageFields => ({
  offset: optional(offsetCode, count('Results to skip.'), 0),
  limit: optional(limitCode, count('Results to answer at most.'), DEFAULT_PAGE_LIMIT),
});
