import type { MessageRows } from './message-row.js';

/** Messages of errors of exports, templates, search rules and chats, by code. */
export const FEATURES_MESSAGES = {
  chat_not_found: (uid: string) => `There is no chat workspace \`${uid}\`: updating its settings makes it.`,
  dynamic_search_rule_not_found: (uid: string) => `There is no dynamic search rule \`${uid}\`.`,
  invalid_export_payload_size: (uid: string, lengthBytes: number) =>
    `A document of \`${uid}\` has ${lengthBytes} bytes alone.`,
  invalid_export_url: {
    notAddress: (url: string) => `\`${url}\` is not a valid address: write http://host:port.`,
    privateNetwork: (hostname: string, option: string) =>
      `${hostname} is on a private network, which only ${option} opens.`,
  },
  invalid_render_template: (fault: string) => `\`.template\` cannot be used: ${fault}.`,
  render_document_not_found: (uid: string, id: string | undefined) => `The index \`${uid}\` has no document \`${id}\`.`,
  template_parsing_error: (reason: string) => `The template is not valid Liquid: ${reason}.`,
  template_rendering_error: {
    searchTemplate: () => 'A document template renders documents, not searches.',
    failed: (reason: string) => `The template cannot be rendered: ${reason}.`,
  },
  unimplemented_multi_choice_chat_completions: () => 'A conversation has one answer: `n` can only be 1.',
} satisfies MessageRows;
