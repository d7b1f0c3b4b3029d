export { compareBytes } from '@fossick/base';
