/**
 * The byte alphabet of GPT-2: every byte has one printable character, so that a token of any bytes can be
 * written in JSON. Printable Latin-1 bytes stand for themselves, the other 68 take U+0100 and up in byte order.
 */
const isPrintable = (byte: number): boolean =>
  (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;

const unprintable: readonly number[] = Array.from({ length: 256 }, (_, byte) => byte).filter(
  (byte) => !isPrintable(byte),
);

/** Character of each byte, 256 entries. */
export const byteCharacters: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  String.fromCharCode(isPrintable(byte) ? byte : 0x100 + unprintable.indexOf(byte)),
);

const byteOf: ReadonlyMap<string, number> = new Map(
  byteCharacters.map((character, byte) => [character, byte] as const),
);

/** The bytes a token text stands for. Throws when a character is not of the byte alphabet. */
export function bytesOfToken(token: string): Uint8Array {
  return Uint8Array.from(token, (character) => {
    const byte = byteOf.get(character);
    if (byte === undefined)
      throw new Error(`Token ${JSON.stringify(token)}: ${JSON.stringify(character)} stands for no byte.`);
    return byte;
  });
}
