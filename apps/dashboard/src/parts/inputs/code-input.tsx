import { Textarea, type TextareaProps } from '@mantine/core';

/** JSON, or a template: a text that grows with its lines, in letters of one width, without a check of its spelling. */
export function CodeInput(props: TextareaProps) {
  return <Textarea autosize spellCheck={false} classNames={{ input: 'code-input' }} {...props} />;
}
