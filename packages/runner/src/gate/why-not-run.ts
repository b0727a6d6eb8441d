import { type Check, isAtLeast } from "@switchyard/core/work/gate/find-checks"
import { type ProgramEnd, runInWorkdir, type Workdir, type WorkdirDeps } from "./workdir.ts"

export const NO_BROWSER = "There is no browser on this machine that could open the page."
export const NOT_OPENED = "The browser of this machine could not open the page."

export function missingProgram({ missing }: { missing: string }): string {
  return `There is no ${missing} on this machine.`
}

/** Returns why a project can't be checked, if it needs a newer Node than this machine has. */
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
  return `The project needs Node ${oldest} or newer, and this machine has ${version.slice(1)}.`
}

/** Returns why a failed command proves nothing about the project. */
export function blockedReason({ name, network }: Check, end: ProgramEnd): string | undefined {
  if (end.exitCode !== 0 && NO_RUST.test(end.output)) return missingProgram({ missing: "Rust toolchain" })
  // A failing test that uses other hosts is at fault itself.
  return network && name !== "test" ? whyNotFetched(end) : undefined
}

const NO_RUST = /^error: rustup could not choose a version/m

/** Returns why packages couldn't be fetched, if the project can't fix that. */
export function whyNotFetched({ exitCode, output, refused, unreached }: ProgramEnd): string | undefined {
  if (exitCode === 0) return undefined
  const [other] = refused
  if (other !== undefined) {
    return `Packages of ${other} can't be fetched here. SWITCHYARD_CHECK_HOSTS lists the hosts that checks may reach.`
  }
  const isUnreachable = unreached.length > 0 || UNREACHABLE.test(output)
  return isUnreachable ? "The packages that the project needs could not be fetched." : undefined
}

/** Error messages of package managers that can't reach their registry. */
const UNREACHABLE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|Could not resolve host|no such host)\b/
