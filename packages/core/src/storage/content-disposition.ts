/**
 * The value of a Content-Disposition header that offers a download under this name, whatever the name is: RFC 6266's
 * `filename*` for the true name, and a plain `filename` for clients that don't know it.
 */
export function attachment(filename: string): string {
  const name =
    [...filename.toWellFormed().replace(UNWANTED, "_")].slice(0, MAX_CHARACTERS).join("").trim() || "download"
  const plain = name.replace(/[^ -~]|["\\%]/gu, "_")
  // `encodeURIComponent` leaves these four, which RFC 5987 has encoded.
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}

const MAX_CHARACTERS = 150

/** Folders, controls, line and paragraph separators, and what turns the direction of text to show `exe.txt` for `txt.exe`. */
const UNWANTED = /[/\\\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
