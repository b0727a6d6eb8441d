import { formatCount } from "../../text/format.ts"

const MAX_LINES = 5
const MAX_LINE_CHARS = 200
/** Number of characters of a line that are searched for a report. */
const SEARCHED_CHARS = 500

/**
 * Shortens a command's output. Keeps the text after the first error, because the first errors matter most, and the end,
 * because it contains the summary.
 */
export function shortenOutput(output: string, maxChars: number): string {
  if (output.length <= maxChars) return output
  const half = Math.floor(maxChars / 2)
  const endAt = output.length - half
  const startAt = firstErrorAt(output, endAt) ?? 0
  const before = startAt > 0 ? [leftOut(startAt)] : []
  if (startAt + half >= endAt)
    return [leftOut(output.length - maxChars), output.slice(-maxChars).toWellFormed()].join("\n")
  const head = output.slice(startAt, startAt + half).toWellFormed()
  return [...before, head, leftOut(endAt - startAt - half), output.slice(endAt).toWellFormed()].join("\n")
}

/** Returns the first lines of an output that report an error. If no line reports one, returns the last lines. */
export function errorLines(output: string): string[] {
  const lines = output.split("\n").map((line) => line.trim().slice(0, MAX_LINE_CHARS).toWellFormed())
  const reports = lines.filter(reportsError)
  const shown = reports.length > 0 ? reports : lines.filter((line) => line !== "").slice(-MAX_LINES)
  return [...new Set(shown)].slice(0, MAX_LINES)
}

/** Returns the position of the first line that reports an error and begins before `endAt`. */
function firstErrorAt(output: string, endAt: number): number | undefined {
  let at = 0
  for (const line of output.slice(0, endAt).split("\n")) {
    if (reportsError(line.trim())) return at
    at += line.length + 1
  }
  return undefined
}

function reportsError(line: string): boolean {
  const text = line.slice(0, SEARCHED_CHARS)
  return (REPORTS.test(text) || POSITION.test(text)) && !NO_REPORT.test(text)
}

/** Words and symbols that mark errors in the output of compilers, linters and test runners. */
const REPORTS = /error|exception|panic|fail|not ok|cannot|can't|unable to|undefined|missing|not found|[✖✗×●]/i
/** Matches a message that begins with its position, such as `./main.go:5:2: declared and not used`. */
const POSITION = /^[\w./-]{1,200}:\d{1,6}(?::\d{1,6})?:? [^ ]/
/** Matches passed tests, counts, headings, and remarks of a package manager about a script that failed. */
const NO_REPORT =
  /^(?:[✔✓√]|ok |PASS|--- PASS|#|ℹ|> |npm |yarn |ERR_PNPM|\d+ )|\b(?:0|no) (?:error|fail|problem|warning)/i

function leftOut(chars: number): string {
  return `[… ${formatCount(chars, "character")} left out …]`
}
