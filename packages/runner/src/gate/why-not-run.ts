import type { Check } from "@switchyard/core/work/gate/check"
import { isAtLeast } from "@switchyard/core/work/gate/node-project"
import { countTests } from "@switchyard/core/work/gate/test-counts"
import { whyBlocked } from "./blocked-command.ts"
import { missingProgram } from "./missing-program.ts"
import { type ProgramEnd, runInWorkdir, type Workdir, type WorkdirDeps } from "./workdir.ts"

export const NO_BROWSER = "This machine has no browser to open the page."
export const NOT_OPENED = "This machine's browser couldn't open the page."

/** Returns why a project can't be checked if it requires a newer version of Node than this machine has. */
export async function whyTooOld(
  deps: WorkdirDeps,
  oldest: string | undefined,
  workdir: Workdir,
  options: { limitMs: number; signal: AbortSignal },
): Promise<string | undefined> {
  if (oldest === undefined) return undefined
  const asking = { file: "/bin/sh", args: ["-c", "node --version"] }
  const { output } = await runInWorkdir(deps, asking, workdir, { network: false, ...options })
  const version = /^v\d+\.\d+\.\d+/m.exec(output)?.[0]
  if (version === undefined || isAtLeast(version, oldest)) return undefined
  return `The project needs Node ${oldest} or newer, but this machine has ${version.slice(1)}.`
}

/** Explains why a command's failure proves nothing about the project. Undefined if the project may be at fault. */
export async function blockedReason(
  { confinement }: Pick<WorkdirDeps, "confinement">,
  { name, network }: Check,
  { end, workdir }: { end: ProgramEnd; workdir: Workdir },
): Promise<string | undefined> {
  if (end.exitCode === 0 || end.isTooLate || end.filledDisk) return undefined
  if (NO_RUST.test(end.output)) return missingProgram({ missing: "A Rust toolchain" })
  if (network) return name === "test" ? undefined : whyNotFetched(end)
  const tests = name === "test" ? countTests(end.output) : undefined
  const isOffline = (await confinement()).means !== undefined
  return whyBlocked({ end, tests, workdir, isOffline })
}

const NO_RUST = /^error: rustup could not choose a version/m

/** Explains why packages couldn't be fetched if the project isn't the cause. */
export function whyNotFetched({ exitCode, output, refused, unreached }: ProgramEnd): string | undefined {
  if (exitCode === 0) return undefined
  const [other] = refused
  if (other !== undefined) {
    return `Packages from ${other} can't be fetched here. Add the host to SWITCHYARD_CHECK_HOSTS to allow it.`
  }
  const isUnreachable = unreached.length > 0 || UNREACHABLE.test(output)
  return isUnreachable ? "The project's packages couldn't be fetched." : undefined
}

/** Error messages of package managers that couldn't reach their registry. */
const UNREACHABLE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|Could not resolve host|no such host)\b/
