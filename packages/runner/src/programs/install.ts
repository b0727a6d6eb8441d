import { existsSync } from "node:fs"
import { join } from "node:path"
import { cliOf } from "@switchyard/core/agents/added/cli-of"
import type { CliId } from "@switchyard/core/agents/clis/clis"
import type { Clock } from "@switchyard/core/time"
import { withLock } from "../files/lock-file.ts"
import type { AgentUser } from "../processes/agent-user.ts"
import { type Lockfile, readLockfile, unpinned } from "./lockfile.ts"
import { InstallError } from "./npm-errors.ts"
import { npmInstall } from "./npm-install.ts"
import { type Machine, npmProgram } from "./npm-program.ts"

export interface InstallDeps {
  /** Folder that contains a subfolder for each version of a program. */
  folder: string
  clock: Clock
  /** Environment of the runner, with npm's registry configuration. */
  host: Record<string, string | undefined>
  /** The agents' user, if different from the runner's user. */
  user?: AgentUser
  machine?: Machine
  /** Reads a program's lockfile. Tests may replace it. */
  lockfileFor?: (cli: string) => Promise<Lockfile>
}

/**
 * Installs the pinned version of an agent CLI if necessary, and returns the folder that contains its executables.
 * Returns undefined if the CLI isn't on npm. Throws `InstallError` if the CLI can't be installed. Only one process
 * installs at a time, and unfinished installations start over. Calls `begins` before npm runs.
 */
export async function installCli(
  { folder, clock, host, user, machine = process, lockfileFor = readLockfile }: InstallDeps,
  cli: CliId,
  { begins, signal }: { begins: (what: string) => Promise<void>; signal: AbortSignal },
): Promise<string | undefined> {
  const { title, package: pinned } = cliOf(cli)
  if (pinned?.registry !== "npm") return undefined
  const target = join(folder, `${cli}-${pinned.version}`)
  const programs = join(target, "bin")
  if (existsSync(programs)) return programs
  const alone = { folder: join(folder, ".locks", cli), clock, patienceMs: Number.POSITIVE_INFINITY }
  await withLock(
    alone,
    async () => {
      if (existsSync(programs)) return
      const program = npmProgram(cli, pinned, machine)
      const lockfile = await lockfileFor(cli)
      const [missing] = unpinned(lockfile, program.needed)
      if (missing) throw new InstallError(`${missing} isn't pinned in the lockfile`)
      await begins(`${title} ${pinned.version}`)
      await npmInstall(program, lockfile, target, { env: npmEnvironment(host), user, signal })
    },
    { signal },
  )
  return programs
}

/**
 * Variables that are passed to npm: the machine's registry, certificates and proxies. None of them can contain a key.
 */
const PASSED =
  /^(PATH|HOME|TMPDIR|SSL_CERT_FILE|NODE_EXTRA_CA_CERTS|(https?|no)_proxy|npm_config_(registry|cache|cafile|userconfig|globalconfig))$/i

function npmEnvironment(host: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(host).flatMap(([name, value]) => (value !== undefined && PASSED.test(name) ? [[name, value]] : [])),
  )
}
