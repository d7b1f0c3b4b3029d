import { parsers } from '@fossick/base/contract';

export const {
  anything,
  boolean,
  integer,
  listOf,
  mapOf,
  names,
  nullable,
  object,
  oneOf,
  string,
  strings,
  textUpTo,
  indexUid,
} = parsers;
