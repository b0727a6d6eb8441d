const SUMMARY_KEY = '"change_summary"'

/** Returns an agent's message without the machine-readable object at its end, which is in the log as a milestone. */
export function withoutSummary(text: string): string {
  const at = text.lastIndexOf(SUMMARY_KEY)
  const before = text.slice(0, Math.max(at, 0)).trimEnd()
  const isObject = before.endsWith("{") && withoutEnd(text.trimEnd(), "```").trimEnd().endsWith("}")
  if (!isObject) return text
  const said = before.slice(0, -1).trimEnd()
  return withoutEnd(withoutEnd(said, "```json"), "```").trimEnd()
}

function withoutEnd(text: string, end: string): string {
  return text.endsWith(end) ? text.slice(0, -end.length) : text
}
