export {
  DEFAULT_DOCUMENT_TEMPLATE,
  DEFAULT_TEMPLATE_MAX_BYTES,
  type DocumentVariables,
  documentVariables,
  renderDocumentText,
  renderFragment,
  type TemplateVariables,
} from './document-text.js';
export { checkTemplate } from './liquid-text.js';
export { TemplateSizes } from './template-sizes.js';
