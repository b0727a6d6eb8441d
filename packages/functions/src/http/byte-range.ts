/** Range of bytes. Both ends are inclusive. */
interface ByteRange {
  start: number
  end: number
}

/**
 * Parses a `Range` header (RFC 9110 §14). Returns undefined if the whole file should be sent, for example because the
 * header is invalid or contains several ranges. Returns `unsatisfiable` if the range is outside the file.
 */
export function parseRange(header: string | undefined, sizeBytes: number): ByteRange | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = header?.match(/^bytes=(\d{0,15})-(\d{0,15})$/) ?? []
  if (first === "" && last === "") return undefined
  const suffix = first === ""
  const start = suffix ? Math.max(0, sizeBytes - Number(last)) : Number(first)
  const end = suffix || last === "" ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1)
  if (!suffix && last !== "" && Number(last) < start) return undefined
  return start <= end ? { start, end } : "unsatisfiable"
}
