/** Types of answers, which follow from their schemas. Only types: what imports them loads no schema. */
export type { KeyAnswer } from './schemas/access.js';
export type {
  BatchAnswer,
  BatchStatsAnswer,
  ErrorAnswer,
  ProgressAnswer,
  SearchAnswer,
  SummarizedTaskAnswer,
  TaskAnswer,
} from './schemas/answers.js';
export type { FieldAnswer, IndexAnswer, IndexStatsAnswer } from './schemas/indexes.js';
export type { NetworkAnswer } from './schemas/instance.js';
export type { RuleAnswer } from './schemas/rules.js';
