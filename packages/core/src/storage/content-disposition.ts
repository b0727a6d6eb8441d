/**
 * Returns a Content-Disposition header for a download with any file name. It contains RFC 6266's `filename*` with the
 * exact name, and a plain `filename` for older clients.
 */
export function attachment(filename: string): string {
  const name =
    [...filename.toWellFormed().replace(UNWANTED, "_")].slice(0, MAX_CHARACTERS).join("").trim() || "download"
  const plain = name.replace(/[^ -~]|["\\%]/gu, "_")
  // RFC 5987 requires these four characters to be encoded, but `encodeURIComponent` doesn't encode them.
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}

const MAX_CHARACTERS = 150

/**
 * Characters to replace in file names: slashes, control characters, line and paragraph separators, and direction marks,
 * which can make `exe.txt` look like `txt.exe`.
 */
const UNWANTED = /[/\\\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
