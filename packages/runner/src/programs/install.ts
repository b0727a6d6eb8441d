import { existsSync } from "node:fs"
import { join } from "node:path"
import { clis } from "@switchyard/core/agents/clis/clis"
import type { CliId } from "@switchyard/core/agents/clis/schema"
import type { Clock } from "@switchyard/core/time"
import { withLock } from "../files/lock-file.ts"
import { npmInstall } from "./npm-install.ts"
import { type Machine, npmProgram } from "./npm-program.ts"

export interface InstallDeps {
  /** Where programs are kept, a folder for each and each version. */
  folder: string
  clock: Clock
  /** The runner's own environment, of which npm is told where its registry is. */
  host: Record<string, string | undefined>
  machine?: Machine
}

/**
 * Makes sure that the pinned version of an agent is there, and resolves to the folder of its programs; undefined for one
 * that doesn't come from npm. Of all processes that want it at once, one installs it; what a killed one left half done is
 * done again. `begins` is called by the one that has to wait for npm.
 */
export async function installCli(
  { folder, clock, host, machine = process }: InstallDeps,
  cli: CliId,
  { begins, signal }: { begins: (what: string) => Promise<void>; signal: AbortSignal },
): Promise<string | undefined> {
  const { title, package: pinned } = clis[cli]
  const wanted = pinned?.registry === "npm" ? npmProgram(cli, pinned.version, machine) : undefined
  if (!pinned || !wanted) return undefined
  const target = join(folder, `${cli}-${pinned.version}`)
  const programs = join(target, "bin")
  if (existsSync(programs)) return programs
  const alone = { folder: join(folder, ".locks", cli), clock, patienceMs: Number.POSITIVE_INFINITY }
  await withLock(
    alone,
    async () => {
      if (existsSync(programs)) return
      await begins(`${title} ${pinned.version}`)
      await npmInstall(wanted, target, { env: npmEnvironment(host), signal })
    },
    { signal },
  )
  return programs
}

/** What npm was told of the machine's registry, certificates and proxies; nothing that could be somebody's key. */
const PASSED =
  /^(PATH|HOME|TMPDIR|SSL_CERT_FILE|NODE_EXTRA_CA_CERTS|(https?|no)_proxy|npm_config_(registry|cache|cafile|userconfig|globalconfig))$/i

function npmEnvironment(host: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(host).flatMap(([name, value]) => (value !== undefined && PASSED.test(name) ? [[name, value]] : [])),
  )
}
