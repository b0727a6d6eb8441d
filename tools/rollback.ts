// Deploys an earlier commit to a stage from a separate checkout. Your working directory is left unchanged.

import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { requireTarget } from "./cloud/deploy-target.ts"
import { endWithMessages, outliveChildren } from "./cloud/errors.ts"
import { loadSettings, stageOf } from "./cloud/stage.ts"

const OPTIONS = { to: { type: "string" } } as const
const ROOT = fileURLToPath(new URL("..", import.meta.url))

endWithMessages()
const stage = stageOf("rollback", undefined, OPTIONS)
const { to = "" } = parseArgs({ options: { ...OPTIONS, stage: { type: "string" } } }).values
// In the form used in logs and responses: 0.1.0+COMMIT.
const commit = /^(?:[\d.]+\+)?([0-9a-f]{7,40})$/.exec(to)?.[1]
if (!commit) fail("Add the commit to go back to: --to 0.1.0+c9317ace2d3e. docs/operate.md shows how to find it.")

// Checked here too, because the commit may predate this check.
loadSettings(stage)
await requireTarget(stage)

const folder = join(mkdtempSync(join(tmpdir(), "switchyard-rollback-")), "code")
if (!run("git", ["worktree", "add", "--detach", folder, commit], ROOT))
  fail(`There is no commit ${commit} in this repository.`)
for (const file of [`.env.${stage}`, ".env"]) {
  if (existsSync(join(ROOT, file))) copyFileSync(join(ROOT, file), join(folder, file))
}
outliveChildren()
const isDeployed = run("npm", ["ci"], folder) && run("npm", ["run", "deploy", "--", "--stage", stage], folder)
run("git", ["worktree", "remove", "--force", folder], ROOT)
if (!isDeployed) fail(`${commit} was not deployed to ${stage}.`)

function run(command: string, args: string[], cwd: string): boolean {
  return spawnSync(command, args, { cwd, stdio: "inherit", shell: process.platform === "win32" }).status === 0
}

function fail(text: string): never {
  console.error(text)
  process.exit(1)
}
