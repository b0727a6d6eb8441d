import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const MAIN = fileURLToPath(new URL("../../packages/cli/src/main.mjs", import.meta.url))

const SCRIPT = "script"

interface SpawnOptions {
  url?: string
  env?: Record<string, string>
  cwd?: string
  /** Runs the CLI in a terminal made by `script`. */
  tty?: boolean
  /** Node binary for the CLI. Default: the one that runs the test. */
  node?: string | undefined
  /** Called with the complete stdout and stderr so far whenever either grows. */
  onOutput?: (output: string, child: ChildProcess) => void
  onSpawn?: (child: ChildProcess) => void
  stdin?: string
  /** Keeps stdin open so that `onOutput` can write to it. */
  interactive?: boolean
}

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs the CLI in a child process until it exits. */
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

/** Returns why tests can't run the CLI in a terminal, or undefined if they can. They need util-linux's `script`. */
export function noTerminals(): string | undefined {
  const found = spawnSync(SCRIPT, ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux")
  return found ? undefined : "there is no script of util-linux; apt-get install bsdutils"
}

function terminal(args: string[]): string[] {
  const command = [process.execPath, MAIN, ...args].map((part) => `'${part.replaceAll("'", "'\\''")}'`).join(" ")
  // Without `exec`, a shell would exit with its own status after an interrupt.
  return ["-qec", `exec ${command}`, "/dev/null"]
}
