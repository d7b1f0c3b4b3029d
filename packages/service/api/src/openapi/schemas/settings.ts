import { objectSchema, optional } from '@fossick/base/contract';
import { SETTINGS_TABLE } from '@fossick/settings';
import { registers } from './answers.js';
import { codesOf, type Operation, operationsOf, shows } from './operation.js';

/** Body of a change of settings. */
const settingsBody = {
  ...objectSchema(Object.fromEntries(SETTINGS_TABLE.map(({ key, code, kind }) => [key, optional(code, kind)]))),
  id: 'Settings',
  description: 'Settings of an index. A member that is absent stays as it is, null resets it.',
};

const tag = 'Settings';
const base = '/indexes/{indexUid}/settings';
const updated = registers('settingsUpdate');
const READ_ERRORS = ['index_not_found', 'invalid_index_uid'] as const;
const WRITE_ERRORS = [
  ...codesOf('invalid_settings_', 'immutable_settings_'),
  ...codesOf('invalid_index_uid', 'feature_not_enabled', 'invalid_chat_setting_'),
];

export const SETTING_OPERATIONS: readonly Operation[] = operationsOf({ tag }, [
  {
    id: 'getSettings',
    route: `GET ${base}`,
    summary: 'All settings of an index',
    action: 'settings.get',
    answers: shows('The settings, defaults written out.', settingsBody, { displayedAttributes: ['*'], stopWords: [] }),
    errors: READ_ERRORS,
  },
  {
    id: 'updateSettings',
    route: `PATCH ${base}`,
    summary: 'Change settings of an index, which is made when there is none',
    action: 'settings.update',
    body: { schema: settingsBody, example: { filterableAttributes: ['genres', 'year'], sortableAttributes: ['year'] } },
    answers: updated,
    errors: WRITE_ERRORS,
  },
  {
    id: 'resetSettings',
    route: `DELETE ${base}`,
    summary: 'Reset all settings',
    action: 'settings.update',
    answers: updated,
    errors: ['invalid_index_uid'],
  },
  ...SETTINGS_TABLE.flatMap(({ key, path, verb, code, kind }) => {
    const name = key[0]!.toUpperCase() + key.slice(1);
    const one = `${base}/${path}`;
    const [example] = (kind.schema['examples'] as unknown[] | undefined) ?? [null];
    return [
      {
        id: `get${name}Setting`,
        route: `GET ${one}`,
        summary: `The setting \`${key}\``,
        action: 'settings.get',
        answers: shows('Its value.', { anyOf: [kind.schema, { type: 'null' }] }, example),
        errors: READ_ERRORS,
      },
      {
        id: `update${name}Setting`,
        route: `${verb} ${one}`,
        summary: `Change the setting \`${key}\``,
        action: 'settings.update',
        body: { schema: { anyOf: [kind.schema, { type: 'null' }] }, example },
        answers: updated,
        errors: [
          ...codesOf(code),
          ...codesOf('invalid_index_uid', 'feature_not_enabled'),
          ...(key === 'chat' ? codesOf('invalid_chat_setting_', 'invalid_settings_embedders') : []),
        ],
      },
      {
        id: `reset${name}Setting`,
        route: `DELETE ${one}`,
        summary: `Reset the setting \`${key}\``,
        action: 'settings.update',
        answers: updated,
        errors: ['invalid_index_uid'],
      },
    ] as const;
  }),
]);
