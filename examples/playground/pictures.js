// Which member of a document is the address of a picture: the same choice as the dashboard's (apps/dashboard/src/parts/hit-shape.ts).

const IS_ADDRESS = /^(https?:)?\/\//;
const PICTURE_NAME = /image|img|poster|picture|photo|cover|thumb|avatar|logo|icon|bild|foto/i;
const PICTURE_ADDRESS = /\.(avif|gif|jpe?g|png|svg|webp)([?#]|$)/i;
/** Characters of an address that are shown at its end. */
const SHOWN_CHARS = 40;

/** Whether a value is an address on the web, which may be a link. */
export function isAddress(value) {
  return typeof value === 'string' && IS_ADDRESS.test(value);
}

/** The name and the address of the picture of a document; undefined when it has none. */
export function pictureOf(document) {
  const addresses = Object.entries(document).flatMap(([name, value]) => {
    const address = Array.isArray(value) ? value[0] : value;
    return isAddress(address) ? [{ name, address }] : [];
  });
  return (
    addresses.find(({ address }) => PICTURE_ADDRESS.test(address)) ??
    addresses.find(({ name }) => PICTURE_NAME.test(name))
  );
}

/** What a link to an address says: its host, and the end of the rest. */
export function shortAddress(address) {
  const [host, ...rest] = address.replace(IS_ADDRESS, '').split('/');
  const path = rest.join('/');
  if (path.length <= SHOWN_CHARS) return [host, ...rest].join('/');
  return `${host}/…${path.slice(-SHOWN_CHARS)}`;
}
