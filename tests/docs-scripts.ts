import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { join } from "node:path"

const missing = ["bash", "curl", "jq"].filter((tool) => spawnSync(tool, ["--version"]).error)

/** Reason why the scripts of `docs/` can't run on this machine, or undefined if they can. */
export const missingTools =
  missing.length === 0 ? undefined : `the scripts of docs/ take ${missing.join(", ")}; install what is missing`

/**
 * Runs a bash script from a page of `docs/` unchanged, with no other variables than `env`, PATH and HOME. `nth` counts
 * a page's scripts from 0. Resolves to the exit code and the combined output.
 */
export async function runDocsScript(
  page: string,
  { nth = 0, cwd, env }: { nth?: number; cwd: string; env: Record<string, string> },
): Promise<{ code: number | null; output: string }> {
  const shown = await readFile(join(import.meta.dirname, "..", "docs", page), "utf8")
  const script = [...shown.matchAll(/```bash\n([\s\S]*?)```/g)][nth]?.[1] ?? "exit 99"
  const { PATH = "", HOME = "" } = process.env
  const child = spawn("bash", ["-c", script], { cwd, env: { PATH, HOME, ...env }, stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      output += text
    })
  const [code] = await once(child, "close")
  return { code, output }
}

interface Pipeline {
  /** Folder for `project.zip`. */
  cwd: string
  url: string
  token: string
  buildId: string
  prompt: string
}

/** Runs the script of `docs/ci.md` with a pipeline's variables. Resolves to its exit code. */
export async function runDocsPipeline({ cwd, url, token, buildId, prompt }: Pipeline): Promise<number | null> {
  const env = { SWITCHYARD_URL: url, SWITCHYARD_TOKEN: token, BUILD_ID: buildId, PROMPT: prompt }
  const { code, output } = await runDocsScript("ci.md", { cwd, env })
  if (code !== 0) console.log(output)
  return code
}
