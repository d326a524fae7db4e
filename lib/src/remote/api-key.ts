/**
 * A key as it can stand in a header. Spaces around it, as copying brings them along, are dropped.
 * @throws Error that does not quote the key.
 */
export function checkedKey(key: string, name: string): string {
  const trimmed = key.trim();
  if (trimmed === '') throw new Error(`${name} is empty; set it to your key`);
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw new Error(
      `${name} holds characters that no key has (spaces, line breaks or letters beyond ASCII); copy it again`,
    );
  }
  return trimmed;
}
