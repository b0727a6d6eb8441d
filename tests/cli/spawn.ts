import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const MAIN = fileURLToPath(new URL("../../packages/cli/src/main.mjs", import.meta.url))

const SCRIPT = "script"

interface SpawnOptions {
  url?: string
  env?: Record<string, string>
  cwd?: string
  /** Under `script`, which gives it a terminal. */
  tty?: boolean
  /** The Node that it is started by, in place of ours. */
  node?: string | undefined
  /** Called with all of stdout and stderr so far, whenever there is more. */
  onOutput?: (output: string, child: ChildProcess) => void
  /** Called with the process once it has been started. */
  onSpawn?: (child: ChildProcess) => void
  stdin?: string
  /** Its input stays open, for `onOutput` to write to. */
  interactive?: boolean
}

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs the CLI as a process of its own, to its end. */
export async function switchyard(args: string[], options: SpawnOptions = {}): Promise<Ended> {
  const { PATH = "", HOME = "" } = process.env
  const env = {
    PATH,
    HOME,
    TERM: "xterm",
    ...(options.url ? { SWITCHYARD_URL: options.url } : {}),
    ...options.env,
  }
  const [file, argv] = options.tty ? [SCRIPT, terminal(args)] : [options.node ?? process.execPath, [MAIN, ...args]]
  const child = spawn(file, argv, { env, cwd: options.cwd })
  const output = { stdout: "", stderr: "" }
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text) => {
      output[name] += text
      options.onOutput?.(output.stdout + output.stderr, child)
    })
  }
  options.onSpawn?.(child)
  child.stdin.on("error", () => {})
  if (!options.interactive) child.stdin.end(options.stdin)
  const [code] = await once(child, "close")
  return { code, ...output }
}

/** Why nothing can be run in a terminal here, if it can't: it takes a `script` with our options. */
export function noTerminals(): string | undefined {
  const found = spawnSync(SCRIPT, ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux")
  return found ? undefined : "there is no script of util-linux; apt-get install bsdutils"
}

function terminal(args: string[]): string[] {
  const command = [process.execPath, MAIN, ...args].map((part) => `'${part.replaceAll("'", "'\\''")}'`).join(" ")
  // A shell between them would end with what an interrupt of its own says.
  return ["-qec", `exec ${command}`, "/dev/null"]
}
