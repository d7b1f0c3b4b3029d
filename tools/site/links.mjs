/** Looks for links of a built site that lead nowhere. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Each link of a page in `folder` whose file or anchor is not there, and each that loads something from another place. */
export function brokenLinks(folder) {
  const names = readdirSync(folder, { recursive: true }).map(String);
  const pages = new Map(
    names.filter((name) => name.endsWith('.html')).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
  const anchors = new Map([...pages].map(([name, html]) => [name, new Set(valuesOf(html, 'id'))]));
  return [...pages].flatMap(([name, html]) => {
    const loaded = valuesOf(html, 'src').filter((href) => /^([a-z]+:)?\/\//i.test(href));
    const links = [...valuesOf(html, 'href'), ...valuesOf(html, 'src')].filter(
      (href) => !/^([a-z]+:|\/\/)/i.test(href),
    );
    const broken = links.filter((href) => {
      const [path, anchor = ''] = href.split('#');
      const target = path === '' ? name : relative(folder, join(folder, dirname(name), decodeURI(path)));
      const file = join(folder, target);
      if (!existsSync(file) || !statSync(file).isFile()) return true;
      return anchor !== '' && anchors.has(target) && !anchors.get(target).has(decodeURIComponent(anchor));
    });
    return [...broken, ...loaded].map((href) => `${name}: ${href}`);
  });
}

function valuesOf(html, attribute) {
  const found = [...html.matchAll(new RegExp(`<[^>]*\\s${attribute}="([^"]*)"`, 'g'))];
  return found.map(([, value]) => value.replaceAll('&amp;', '&').replaceAll('&quot;', '"'));
}
