export { transfer } from './extension.js';
