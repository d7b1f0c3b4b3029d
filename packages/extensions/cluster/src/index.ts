export { cluster } from './extension.js';
