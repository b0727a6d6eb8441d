// Installs one agent into the image, as pinned by its lockfile: `agent.ts <agent>`. Skips agents that aren't in
// $AGENTS.
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { findAgentUser } from "../../packages/runner/src/processes/agent-user.ts"
import { readLockfile, readPackage, unpinned } from "../../packages/runner/src/programs/lockfile.ts"
import { npmInstall } from "../../packages/runner/src/programs/npm-install.ts"
import { npmProgram } from "../../packages/runner/src/programs/npm-program.ts"

const AGENTS_FOLDER = "/opt/agents"
const [, , cli = ""] = process.argv
const { AGENTS = "", ...env } = process.env as Record<string, string>

async function install(cli: string): Promise<void> {
  const program = npmProgram(cli, await readPackage(cli), process)
  const lockfile = await readLockfile(cli)
  if (unpinned(lockfile, program.needed).length > 0) {
    return console.log(`Skipping ${cli}: its lockfile has no package for ${process.platform}-${process.arch}.`)
  }
  mkdirSync(AGENTS_FOLDER, { recursive: true })
  const folder = join(AGENTS_FOLDER, cli)
  await npmInstall(program, lockfile, folder, { env, user: await findAgentUser("agent") })
  execFileSync(process.execPath, [join(import.meta.dirname, "sbom.ts"), cli, folder])
  for (const name of readdirSync(join(folder, "bin"))) symlinkSync(join(folder, "bin", name), `/usr/local/bin/${name}`)
}

if (AGENTS.split(/\s+/).includes(cli)) await install(cli)
else console.log(`Skipping ${cli}.`)
