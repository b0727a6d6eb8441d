// Installs one agent into the image: `agent.ts <agent> <version>`. What isn't among $AGENTS is left out.
import { readdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import type { CliId } from "@switchyard/core/agents/clis/schema"
import { npmInstall } from "../../packages/runner/src/programs/npm-install.ts"
import { npmProgram } from "../../packages/runner/src/programs/npm-program.ts"

const CACHE = "/tmp/npm-cache"
const [cli = "", version = ""] = process.argv.slice(2)
const { AGENTS = "", ...env } = process.env as Record<string, string>

const program = npmProgram(cli as CliId, version, process)
if (!program) throw new Error(`${cli} is nothing that npm has.`)
if (!AGENTS.split(/\s+/).includes(cli)) console.log(`${cli} is left out.`)
else {
  const folder = join("/opt/agents", cli)
  await npmInstall(program, folder, { env: { ...env, npm_config_cache: CACHE } })
  for (const name of readdirSync(join(folder, "bin"))) symlinkSync(join(folder, "bin", name), `/usr/local/bin/${name}`)
  rmSync(CACHE, { recursive: true, force: true })
}
