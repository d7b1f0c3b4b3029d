export { analytics } from './extension.js';
