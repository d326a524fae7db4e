/** The rule of `E_TEXT`, written again: 1 to 120 code points, nothing invisible, no control or bidi-override characters. */
export function isTextAllowed(text: string): boolean {
  return text.trim() !== '' && [...text].length <= 120 && !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(text);
}
