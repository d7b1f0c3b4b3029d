import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** An installed browser of this kind; nothing is downloaded. */
export const BROWSER = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
  .filter((path) => path !== undefined)
  .find((path) => existsSync(path));

/** A folder for screenshots, for people to look at. */
const PICTURES = process.env['FOSSICK_PICTURES'];
const AXE_FILE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** Generous, for a browser on a busy machine. */
export const PATIENCE_MS = 120_000;

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];

/** The violations that axe found, one per line. */
interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** A browser with the page of one server, and all its faults. */
export class TestPage {
  /**
   * Errors of scripts, violations of the policy, and everything on the console's error level except refused requests.
   */
  readonly faults: string[] = [];
  page!: Page;
  private browser?: Browser;
  private context?: BrowserContext;

  async open(url: string, isPhone = false): Promise<void> {
    this.browser ??= await chromium.launch({ executablePath: BROWSER!, args: ['--no-sandbox', '--disable-gpu'] });
    const viewport = isPhone ? { width: 390, height: 844 } : { width: 1280, height: 860 };
    await this.context?.close();
    this.context = await this.browser.newContext({ viewport, reducedMotion: 'reduce' });
    this.page = await this.context.newPage();
    this.page.setDefaultTimeout(PATIENCE_MS);
    this.page.on('pageerror', (error) => this.faults.push(error.message));
    this.page.on('console', (message) => {
      if (message.type() === 'error' && !/status of 40[0-9]/.test(message.text())) this.faults.push(message.text());
    });
    // a request to another host is a fault, whatever the policy says
    this.page.on('request', (request) => {
      if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(url)) this.faults.push(request.url());
    });
    await this.page.goto(url);
  }
  async close(): Promise<void> {
    await this.browser?.close();
  }

  /** Opens a view by its address within the page. */
  async go(place: string): Promise<void> {
    await this.page.evaluate((hash) => {
      location.hash = hash;
    }, place);
  }
  /** Resolves when a page has drawn what it has received. */
  async drawn(page: Page = this.page): Promise<void> {
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  }
  /** Violations of accessibility: rules of WCAG 2.1 A and AA, or only those on colours. */
  async barriers(onlyColors = false): Promise<string[]> {
    // through the debugger, because the page's own policy would refuse the script
    await this.page.evaluate(readFileSync(AXE_FILE, 'utf8'));
    const { violations } = (await this.page.evaluate(`(async () => {
      return axe.run(document, { runOnly: ${JSON.stringify(onlyColors ? ['color-contrast'] : WCAG)} });
    })()`)) as AxeResult;
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    );
  }
  /** Takes a screenshot, if a folder for them is given. */
  async picture(name: string): Promise<void> {
    if (PICTURES === undefined) return;
    mkdirSync(PICTURES, { recursive: true });
    await this.page.screenshot({ path: join(PICTURES, `${name}.png`) });
  }
}
