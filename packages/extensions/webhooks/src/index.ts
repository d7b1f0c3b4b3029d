export { webhooks } from './extension.js';
