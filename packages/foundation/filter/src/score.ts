/** Score expressions, for threads that parse no filters. */
export { parseScore } from './score/parse-score.js';
export { applied, SCORE_FUNCTIONS, type ScoreFunctionName } from './score/score-functions.js';
export type { ScoreExpression, ScoreNode } from './score/score-tree.js';
export { ScoreError } from './tree.js';
