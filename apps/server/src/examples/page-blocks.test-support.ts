import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** The pages on what Fossick has beyond the protocol; each section has examples. */
export const OPTION_PAGES = ['documents', 'search-options', 'filters-facets-groups'].map(
  (name) => `docs/reference/${name}.md`,
);

/** A block of code of a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** Parts of what it prints, from the block `text` after it. */
  readonly printed: readonly string[];
}

/** The blocks of code of a page, in order. */
export function blocksOf(page: string): Block[] {
  // those of lists are indented
  const fences = [...page.matchAll(/^( *)```(\w+)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = '', language = '', text = '']) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
  return fences.flatMap(({ language, text }, at) => {
    const next = fences[at + 1];
    const printed = next?.language === 'text' ? next.text.trim().split('\n') : [];
    return language === 'text' ? [] : [{ language, text, printed }];
  });
}

/** A shell in the checkout that keeps its variables from block to block, as a person's terminal does. */
export class Shell {
  private readonly process;
  private count = 0;

  constructor(env: Readonly<Record<string, string>>) {
    this.process = spawn('bash', [], { cwd: ROOT, env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
  }

  /** What the commands print, once they are over. */
  run(commands: string): Promise<string> {
    const mark = `--- end ${this.count++} ---`;
    return new Promise((resolve) => {
      let output = '';
      const onData = (chunk: Buffer): void => {
        output += chunk.toString();
        if (!output.includes(mark)) return;
        this.process.stdout.off('data', onData);
        resolve(output.slice(0, output.indexOf(mark)));
      };
      this.process.stdout.on('data', onData);
      this.process.stdin.write(`${commands}\necho '${mark}'\n`);
    });
  }

  end(): void {
    this.process.kill();
  }
}
