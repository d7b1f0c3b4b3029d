const META = 'meta[name="extensions"]';

/** Whether the server of this page serves an extension; a page of the development server has all. */
export function isServed(name: string): boolean {
  const names = document.querySelector<HTMLMetaElement>(META)?.content.split(' ') ?? [];
  return names.includes(name) || names.includes('SERVED_EXTENSIONS');
}
