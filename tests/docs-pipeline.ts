import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { join } from "node:path"

const missing = ["bash", "curl", "jq"].filter((tool) => spawnSync(tool, ["--version"]).error)

/** Why the script of `docs/ci.md` can't be tried here, if it can't. */
export const missingTools =
  missing.length === 0 ? undefined : `the script of docs/ci.md takes ${missing.join(", ")}; install what is missing`

interface Pipeline {
  /** Where `project.zip` goes. */
  cwd: string
  url: string
  token: string
  buildId: string
  prompt: string
}

/** Runs the script of `docs/ci.md` to the letter, with a pipeline's variables and no others. Resolves to its exit code. */
export async function runDocsPipeline({ cwd, url, token, buildId, prompt }: Pipeline): Promise<number | null> {
  const page = await readFile(join(import.meta.dirname, "..", "docs", "ci.md"), "utf8")
  const script = /```bash\n([\s\S]*?)```/.exec(page)?.[1] ?? "exit 99"
  const { PATH = "", HOME = "" } = process.env
  const env = { PATH, HOME, SWITCHYARD_URL: url, SWITCHYARD_TOKEN: token, BUILD_ID: buildId, PROMPT: prompt }
  const child = spawn("bash", ["-c", script], { cwd, env, stdio: ["ignore", "inherit", "inherit"] })
  const [code] = await once(child, "exit")
  return code
}
