import { withoutSequences } from "@switchyard/core/text/terminal-sequences"
import type { Clock } from "@switchyard/core/time"
import { type ProgramOptions, startProgram } from "../processes/program.ts"
import type { Supervisor } from "../processes/supervisor.ts"

export interface CommandDeps {
  clock: Clock
  supervisor: Supervisor | undefined
  report: (error: unknown) => void
}

export interface CommandEnd {
  /** Null if the command was stopped. */
  exitCode: number | null
  isTooLate: boolean
  /** True if the command was stopped because the disk was almost full. */
  filledDisk: boolean
  durationMs: number
  /** The output as text. A very long output is reduced to its beginning and its end. */
  output: string
}

export interface CommandLimits {
  /** Time limit in milliseconds; null if there is none. */
  limitMs: number | null
  /** Memory limit per process, if lower than the default. */
  memoryBytes?: number
  signal: AbortSignal
}

/**
 * Maximum size of the stored end of the output. It is enough for the summary of any test run and the failures before
 * it.
 */
const MAX_OUTPUT_BYTES = 512 * 1024
/** Size of the stored beginning of the output, which contains a compiler's first errors. */
const HEAD_BYTES = 128 * 1024

/** Runs a program until it exits or reaches its time limit. Then ends all processes that the program left behind. */
export async function runCommand(
  { clock, supervisor, report }: CommandDeps,
  options: Omit<ProgramOptions, "rows" | "cols" | "piped">,
  { limitMs, memoryBytes, signal }: CommandLimits,
): Promise<CommandEnd> {
  const startedAt = clock.monotonic()
  let head = Buffer.alloc(0)
  let printed = Buffer.alloc(0)
  const shown = (bytes: Uint8Array) => {
    const headBytes = Math.min(bytes.length, HEAD_BYTES - head.length)
    if (headBytes > 0) head = Buffer.concat([head, bytes.subarray(0, headBytes)])
    printed = Buffer.concat([printed, bytes.subarray(headBytes)])
    if (printed.length > 2 * MAX_OUTPUT_BYTES) printed = printed.subarray(-MAX_OUTPUT_BYTES)
  }
  const program = await startProgram(
    { ...options, memoryBytes, rows: 50, cols: 200, piped: false },
    { clock, supervisor, shown },
  )
  const over = new AbortController()
  const either = AbortSignal.any([signal, over.signal])
  const late = (limitMs === null ? whenAborted(either) : clock.sleep(limitMs, { signal: either })).then(
    () => "late" as const,
    () => undefined,
  )
  const first = await Promise.race([program.exited, late])
  over.abort()
  const left = await program.kill()
  if (left.length > 0) report(new Error(`Couldn't end these processes: ${left.join(", ")}.`))
  signal.throwIfAborted()
  const exited = typeof first === "object" ? first : undefined
  return {
    exitCode: exited?.exitCode ?? null,
    isTooLate: first === "late",
    filledDisk: program.filledDisk,
    durationMs: Math.round(clock.monotonic() - startedAt),
    output: textOf(Buffer.concat([head, printed.subarray(-MAX_OUTPUT_BYTES)])),
  }
}

/**
 * Returns the text that a terminal would show at the end: without colours, and with only the last version of each line.
 */
function textOf(bytes: Buffer): string {
  const lines = withoutSequences(bytes.toString()).replaceAll("\r\n", "\n").split("\n")
  return lines.map((line) => line.slice(line.lastIndexOf("\r") + 1)).join("\n")
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
  })
}
