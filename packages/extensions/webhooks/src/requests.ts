import { httpAddress } from '@fossick/api';
import { described, mapOf, nullable, optional, required, shown, text } from '@fossick/base/contract';

const url = httpAddress('Where finished tasks are posted to.', 'https://example.com/tasks');
/** The route checks names, values and their number, because these depend on the headers before the change. */
const headers = optional(
  'invalid_webhook_headers',
  shown(mapOf(nullable(text(''))), {
    ...described('Headers of the posts; null removes one.', [{ authorization: 'Bearer secret' }]),
    'x-only-examples': true,
  }),
);
/** Body of a creation of a webhook. */
export const WEBHOOK_CREATION_BODY = {
  url: required('invalid_webhook_url', url, 'invalid_webhook_url'),
  headers,
};
/** Body of a change of a webhook. */
export const WEBHOOK_CHANGE_BODY = { url: optional('invalid_webhook_url', url), headers };
/** Read-only members, which both refuse with codes of their own. */
export const WEBHOOK_RULE = {
  immutable: { uuid: 'immutable_webhook_uuid', isEditable: 'immutable_webhook_is_editable' },
} as const;
