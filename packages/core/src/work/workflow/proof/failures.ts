import { createHash } from "node:crypto"
import type { Shown } from "../../gate/gate.ts"

/**
 * Identifies what a check found wrong, so that two rounds can be compared: the command, and the lines of its output that
 * report a failure, without what differs from run to run. Order doesn't matter: tests may run side by side.
 */
export function failuresIn({ verdict, output }: Shown): string {
  const failed = verdict.checks.filter(({ passed }) => !passed).map(({ name, exit_code }) => `${name} ${exit_code}`)
  const lines = output.split("\n").map(steady)
  const reports = lines.filter((line) => REPORTS.test(line))
  const seen = new Set(reports.length > 0 ? reports : lines)
  const text = [...failed, verdict.reason ?? "", ...[...seen].sort()].join("\n")
  return createHash("sha256").update(text).digest("hex")
}

/** Words and signs by which compilers and test programs report a failure, or what they expected instead. */
const REPORTS =
  /error|fail|not ok|exception|panic|assert|expected|actual|received|undefined|cannot|can't|unable|missing|[✖✗×●]|^\s*[-+] |!==|!=/i

/** A line without durations, positions, process ids and addresses. */
function steady(line: string): string {
  return line
    .replaceAll(/\(?\b\d+(?:\.\d+)?\s?(?:ms|s|seconds?)\b\)?/g, "")
    .replaceAll(/:\d+(?::\d+)?\b/g, "")
    .replaceAll(/\bline \d+|\bpid[ =:]*\d+|0x[\da-f]+|\b(?:duration_ms|start_at|time)\b.*/gi, "")
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z?\b/g, "")
    .trim()
}
