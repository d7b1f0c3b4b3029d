export { chats } from './extension.js';
