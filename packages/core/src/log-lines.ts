/**
 * Writes one line of JSON with the code version. Its fields are searchable in the log group and never contain secrets.
 */
export type LogLine = (kind: string, fields: Record<string, unknown>) => void

export function createLogger(
  write: (text: string) => void,
  { now, version }: { now: () => number; version: string },
): LogLine {
  return (kind, fields) =>
    write(`${JSON.stringify({ time: new Date(now()).toISOString(), kind, version, ...fields })}\n`)
}

const CAUSES = 4

/** Returns the fields of an error that are safe to log. SDK errors contain whole requests with their keys. */
export function describeError(error: unknown, causes = CAUSES): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) }
  const code = "code" in error && typeof error.code === "string" ? { code: error.code } : {}
  const cause = error.cause === undefined || causes === 0 ? {} : { cause: describeError(error.cause, causes - 1) }
  return { name: error.name, ...code, message: error.message, stack: error.stack, ...cause }
}
