import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEngine } from 'fossick';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** The package is tried as others get it: built, with its threads. */
const isBuilt = process.env.FOSSICK_TEST_BUILT === '1';
const BATCH_DOCUMENTS = 150;

/** Adds batches one after another until something ends it, three of them under way at once; a line tells of each that is acknowledged. */
const ADDING = `
  import { createEngine } from 'fossick';
  const engine = await createEngine({ path: process.argv[1] });
  const index = engine.index('rows');
  if (process.argv[2] === 'first') await index.updateSettings({ filterableAttributes: ['batch'] });
  const from = Number(process.argv[3]);
  const add = async (batch) => {
    const rows = Array.from({ length: ${BATCH_DOCUMENTS} }, (_, at) => ({ id: batch * 1000 + at, batch, text: 'row ' + at }));
    await index.add(rows);
    process.stdout.write('added ' + batch + '\\n');
  };
  for (let batch = from; ; batch += 3) await Promise.all([add(batch), add(batch + 1), add(batch + 2)]);`;
const HOLDING = `
  import { createEngine } from 'fossick';
  const engine = await createEngine({ path: process.argv[1] });
  await engine.index('rows').add([{ id: 1 }]);
  process.stdout.write('open\\n');
  setInterval(() => undefined, 1000);`;

/** Where the process is killed: at a point of the code, or once so many batches are acknowledged. */
type Death = { readonly faults: string } | { readonly afterBatches: number };
const DEATHS: readonly Death[] = [
  { faults: 'payload.flush=kill@5' },
  { faults: 'store.commit=kill@9' },
  { faults: 'store.committed=kill@12' },
  { afterBatches: 1 },
  { afterBatches: 7 },
];

describe.skipIf(!isBuilt)('an engine whose process is killed', () => {
  let folder: string;
  const children: ChildProcess[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fossick-engine-'));
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a program with the package; `lines` grows with what it says, `gone` resolves with its end. */
  function started(program: string, words: readonly string[], faults = '') {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, folder, ...words], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      env: { ...process.env, ...(faults === '' ? {} : { FOSSICK_FAULTS: faults }) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    const run = { child, output: '', errors: '', gone: new Promise<void>((done) => child.once('exit', () => done())) };
    child.stdout.on('data', (data: Buffer) => {
      run.output += data.toString();
    });
    child.stderr.on('data', (data: Buffer) => {
      run.errors += data.toString();
    });
    return run;
  }
  async function said(run: ReturnType<typeof started>, text: string): Promise<void> {
    await expect.poll(() => run.output, { timeout: 120_000, interval: 5, message: run.errors }).toContain(text);
  }

  it('has lost nothing that was acknowledged, and has no batch in part, wherever it is killed', async () => {
    let next = 0;
    const acknowledged: number[] = [];
    for (const [round, death] of DEATHS.entries()) {
      const faults = 'faults' in death ? death.faults : '';
      const run = started(ADDING, [round === 0 ? 'first' : 'again', String(next)], faults);
      if ('afterBatches' in death) {
        const addedCount = (): number => run.output.split('added ').length - 1;
        const patience = { timeout: 120_000, interval: 5, message: run.errors };
        await expect.poll(addedCount, patience).toBeGreaterThanOrEqual(death.afterBatches);
        run.child.kill('SIGKILL');
      }
      await run.gone;
      if (faults !== '') expect(run.errors).toContain('fault point');
      acknowledged.push(...[...run.output.matchAll(/^added (\d+)$/gm)].map(([, batch]) => Number(batch)));
      await using engine = await createEngine({ path: folder });
      const index = engine.index('rows');
      // after everything that was handed over and is done now
      await index.updateSettings({ filterableAttributes: ['batch'] });
      await index.add([{ id: 900_000 + round, batch: -1, text: 'a mark' }]);
      const { facetDistribution } = await index.search('', { facets: ['batch'], limit: 0 });
      const counts = new Map(Object.entries(facetDistribution!.batch!).map(([batch, count]) => [Number(batch), count]));
      counts.delete(-1);
      expect(
        [...counts.values()].filter((count) => count !== BATCH_DOCUMENTS),
        JSON.stringify(death),
      ).toEqual([]);
      expect(
        acknowledged.filter((batch) => !counts.has(batch)),
        JSON.stringify(death),
      ).toEqual([]);
      next = Math.max(0, ...counts.keys()) + 1;
    }
    expect(acknowledged.length).toBeGreaterThan(0);
  });

  it('has its folder for itself, until it is closed or killed', async () => {
    const run = started(HOLDING, []);
    await said(run, 'open');
    await expect(createEngine({ path: folder })).rejects.toMatchObject({ name: 'LaunchError' });
    await expect(createEngine({ path: folder })).rejects.toThrow(/another|in use|process/i);
    run.child.kill('SIGKILL');
    await run.gone;
    const engine = await createEngine({ path: folder });
    expect((await engine.index('rows').stats()).numberOfDocuments).toBe(1);
    // also against one in the same process
    await expect(createEngine({ path: folder })).rejects.toMatchObject({ name: 'LaunchError' });
    await engine.close();
    await using again = await createEngine({ path: folder });
    expect(await again.index('rows').get(1)).toEqual({ id: 1 });
  });

  it('closes after running additions: they are complete when it is opened again', async () => {
    const engine = await createEngine({ path: folder });
    const index = engine.index('rows');
    let given = 0;
    async function* slowly(): AsyncGenerator<{ id: number }> {
      for (; given < 40; given++) {
        await new Promise((done) => setTimeout(done, 2));
        yield { id: given };
      }
    }
    const additions = [index.add(slowly()), index.add([{ id: 1_000 }])];
    const closing = engine.close();
    await expect(index.add([{ id: 2_000 }])).rejects.toThrow('the engine is closed');
    await closing;
    expect(given).toBe(40);
    expect((await Promise.allSettled(additions)).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    await using again = await createEngine({ path: folder });
    expect((await again.index('rows').stats()).numberOfDocuments).toBe(41);
  });

  it('closes although a source throws while it is read, and adds none of its documents', async () => {
    const engine = await createEngine({ path: folder });
    const index = engine.index('rows');
    await index.add([{ id: 1 }]);
    async function* broken(): AsyncGenerator<{ id: number }> {
      for (let id = 100; id < 400; id++) yield { id };
      await new Promise((done) => setTimeout(done, 20));
      throw new Error('the file ends in the middle');
    }
    const adding = index.add(broken());
    const closing = engine.close();
    await expect(adding).rejects.toThrow('the file ends in the middle');
    await closing;
    await using again = await createEngine({ path: folder });
    expect((await again.index('rows').stats()).numberOfDocuments).toBe(1);
  });
});
