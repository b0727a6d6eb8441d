import { createHash } from "node:crypto"
import type { Shown } from "../../gate/gate.ts"

/**
 * Returns a hash of a check's failures, so that two rounds can be compared. The hash covers the command and the lines
 * that report a failure, without details that vary between runs. It ignores the order of lines, because tests may run
 * concurrently.
 */
export function failuresIn({ verdict, output }: Shown): string {
  const failed = verdict.checks.filter(({ passed }) => !passed).map(({ name, exit_code }) => `${name} ${exit_code}`)
  const lines = output.split("\n").map(steady)
  const reports = lines.filter((line) => REPORTS.test(line))
  const seen = new Set(reports.length > 0 ? reports : lines)
  const text = [...failed, verdict.reason ?? "", ...[...seen].sort()].join("\n")
  return createHash("sha256").update(text).digest("hex")
}

/** Words and symbols by which compilers and test runners report a failure or an expected result. */
const REPORTS =
  /error|fail|not ok|exception|panic|assert|expected|actual|received|undefined|cannot|can't|unable|missing|[✖✗×●]|^\s*[-+] |!==|!=/i

/** Removes durations, positions, process IDs and addresses from a line. */
function steady(line: string): string {
  return line
    .replaceAll(/\(?\b\d+(?:\.\d+)?\s?(?:ms|s|seconds?)\b\)?/g, "")
    .replaceAll(/:\d+(?::\d+)?\b/g, "")
    .replaceAll(/\bline \d+|\bpid[ =:]*\d+|0x[\da-f]+|\b(?:duration_ms|start_at|time)\b.*/gi, "")
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z?\b/g, "")
    .trim()
}
