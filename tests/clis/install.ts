import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { clis } from "@switchyard/core/clis/clis"
import type { CliId } from "@switchyard/core/clis/schema"

/** Where each program lies once its package is there, install scripts or not. */
const programs: Partial<Record<CliId, string>> = {
  claude: "@anthropic-ai/claude-code-linux-x64/claude",
  codex: "@openai/codex/bin/codex.js",
  gemini: "@google/gemini-cli/bundle/gemini.js",
  qwen: "@qwen-code/qwen-code/cli-entry.js",
  opencode: "opencode-linux-x64/bin/opencode",
}

/** What a package forgets to make a program of. */
const forgotten = ["@qwen-code/qwen-code/vendor/ripgrep/x64-linux/rg"]

/**
 * Installs the pinned agents into a cache folder, if they aren't there, and resolves to a folder with a link to each.
 * Without their install scripts: nothing that is downloaded runs before it is used.
 */
export async function installClis(cache: string): Promise<string> {
  const wanted = Object.values(clis).flatMap(({ package: found }) =>
    found?.registry === "npm" ? [`${found.name}@${found.version}`] : [],
  )
  const stamp = join(cache, "installed.json")
  const links = join(cache, "links")
  const before = await readFile(stamp, "utf8").catch(() => "")
  if (before === JSON.stringify(wanted) && existsSync(links)) return links
  await mkdir(cache, { recursive: true })
  await writeFile(join(cache, "package.json"), '{"private":true}')
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund"]
  await promisify(execFile)("npm", ["install", ...flags, ...wanted], { cwd: cache, maxBuffer: 2 ** 26 })
  await rm(links, { recursive: true, force: true })
  await mkdir(links)
  for (const [name, file] of Object.entries(programs)) {
    const target = join(cache, "node_modules", file)
    await chmod(target, 0o755)
    await symlink(target, join(links, name))
  }
  for (const file of forgotten) await chmod(join(cache, "node_modules", file), 0o755).catch(() => undefined)
  await writeFile(stamp, JSON.stringify(wanted))
  return links
}
