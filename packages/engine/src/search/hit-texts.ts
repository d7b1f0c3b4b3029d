import { toJsonText } from '../documents/json-number.js';
import type { IndexView } from '../view/index-view.js';

/** UTF-16 units of the texts of one view, half of them for those asked for lately. */
const KEPT_UNITS_MAX = 6 * 2 ** 20;

/** JSON texts of documents that were hits as they are stored. Two generations: what is asked for again stays. */
class HitTexts {
  private young = new Map<number, string>();
  private old = new Map<number, string>();
  private youngUnits = 0;

  get(docId: number): string | undefined {
    const known = this.young.get(docId);
    if (known !== undefined) return known;
    const aged = this.old.get(docId);
    if (aged !== undefined) this.add(docId, aged);
    return aged;
  }

  add(docId: number, text: string): void {
    if (this.youngUnits + text.length > KEPT_UNITS_MAX / 2) {
      this.old = this.young;
      this.young = new Map();
      this.youngUnits = 0;
    }
    this.young.set(docId, text);
    this.youngUnits += text.length;
  }
}

const textsByView = new WeakMap<IndexView, HitTexts>();

/** The JSON text of a document as a hit without decorations; made once as long as the view lasts and there is room. */
export function plainHitText(view: IndexView, docId: number, make: () => object): string {
  let texts = textsByView.get(view);
  if (texts === undefined) textsByView.set(view, (texts = new HitTexts()));
  let text = texts.get(docId);
  if (text === undefined) {
    text = view.documentText(docId) ?? toJsonText(make());
    texts.add(docId, text);
  }
  return text;
}
