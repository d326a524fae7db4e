import { hashText } from '../tensor/random.js';

/** Eight hexadecimal digits by which a text is known again: enough to notice that it has changed. */
export function fingerprint(text: string): string {
  return hashText(text).toString(16).padStart(8, '0');
}
