/** Throws unless a loss is given a per-token stream that it reads. */
export function required<Stream>(stream: Stream | undefined, name: string, loss: string): Stream {
  if (stream === undefined)
    throw new Error(`Loss ${loss} needs the per-token stream \`${name}\`: fill it in every datum.`);
  return stream;
}
