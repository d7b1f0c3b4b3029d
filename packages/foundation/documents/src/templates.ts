/** Rendering a document as text: only who renders loads it. */
export {
  DEFAULT_DOCUMENT_TEMPLATE,
  DEFAULT_TEMPLATE_MAX_BYTES,
  type DocumentVariables,
  documentVariables,
  renderDocumentText,
  renderFragment,
  type TemplateVariables,
} from './templates/document-text.js';
export { checkTemplate, Rendering } from './templates/liquid-text.js';
export { TemplateSizes } from './templates/template-sizes.js';
