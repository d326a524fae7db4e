/** JSON, or the bytes of an image, which are sent in base64. */
export type MimeData = string | number | boolean | null | Uint8Array | readonly MimeData[] | MimeObject;
export interface MimeObject {
  readonly [key: string]: MimeData;
}

/** One thing in several representations, by MIME type; a front end shows the richest that it knows. `text/plain` belongs in each. */
export interface MimeBundle {
  readonly [mimeType: string]: MimeData;
}
