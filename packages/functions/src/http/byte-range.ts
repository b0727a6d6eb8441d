/** Both ends belong to it. */
interface ByteRange {
  start: number
  end: number
}

/**
 * The bytes that a `Range` header asks for (RFC 9110 §14): undefined stands for the whole, which is also the answer to what
 * can't be read or to several ranges at once, and `unsatisfiable` for bytes that aren't there.
 */
export function askedRange(header: string | undefined, sizeBytes: number): ByteRange | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = header?.match(/^bytes=(\d{0,15})-(\d{0,15})$/) ?? []
  if (first === "" && last === "") return undefined
  const suffix = first === ""
  const start = suffix ? Math.max(0, sizeBytes - Number(last)) : Number(first)
  const end = suffix || last === "" ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1)
  if (!suffix && last !== "" && Number(last) < start) return undefined
  return start <= end ? { start, end } : "unsatisfiable"
}
