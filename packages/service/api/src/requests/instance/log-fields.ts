import {
  checked,
  choice,
  exampleText,
  flag,
  optional,
  type Parser,
  parsers,
  pick,
  wrongValue,
} from '@fossick/base/contract';
import { parseLogTarget } from '../../reading/log-target.js';

const parseTarget: Parser<string> = (value, where) => {
  const target = parsers.string(value, where);
  if (parseLogTarget(target) === undefined)
    throw wrongValue(where, `\`${target}\` is not a comma list of \`level\` or \`module=level\`.`);
  return target;
};
const target = checked(
  exampleText('`level`, or a comma list of `module=level`.', 'info', 'debug', 'warn,http=trace'),
  parseTarget,
);
/** Body of a stream of the log. `target` is one that parseLogTarget reads. */
export const LOG_STREAM_BODY = {
  target: optional('bad_request', target, 'info'),
  mode: optional('bad_request', choice(['human', 'json', 'profile'], 'How lines look.'), 'human'),
  profileMemory: optional('bad_request', flag('Only with the mode `profile`.'), false),
};
/** Body of a change of the level of the terminal. */
export const LOG_LEVEL_BODY = pick(LOG_STREAM_BODY, 'target');
