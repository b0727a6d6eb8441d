import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Creates a wrapper around the SST CLI for one stage, with telemetry turned off. */
export function createSst(stage: string) {
  const options = {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    env: { ...process.env, SST_TELEMETRY_DISABLED: "1" },
    shell: process.platform === "win32",
  }
  const withStage = (args: string[]) => [...args, "--stage", stage]

  function run(args: string[]): { ok: boolean; said: string } {
    const { status, stdout, stderr, error } = spawnSync("sst", withStage(args), { ...options, encoding: "utf8" })
    return { ok: status === 0, said: error ? error.message : `${stdout}${stderr}` }
  }

  return {
    /** Lists the secrets that have a value. SST also prints the values, which are discarded here. */
    secrets(): string[] {
      const { ok, said } = run(["secret", "list"])
      if (!ok && !/no secrets found/i.test(said)) throw new Error(said.trim())
      return ok ? [...said.matchAll(/^([A-Z][A-Za-z0-9]*)=./gm)].map(([, name = ""]) => name) : []
    },

    /** Sets secrets through a private file, because any process can read command lines. */
    setSecrets(values: Record<string, string>): void {
      const folder = mkdtempSync(join(tmpdir(), "switchyard-"))
      try {
        const file = join(folder, "secrets")
        const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`)
        writeFileSync(file, lines.join(""), { mode: 0o600 })
        const { ok, said } = run(["secret", "load", file])
        if (!ok) throw new Error(said.trim())
      } finally {
        rmSync(folder, { recursive: true })
      }
    },

    removeSecret(name: string): void {
      const { ok, said } = run(["secret", "remove", name])
      if (!ok) throw new Error(said.trim())
    },

    /** Returns the outputs of the last deployment of any stage, so call it right after deploying. */
    outputs(): Record<string, string | undefined> {
      const file = join(options.cwd, ".sst", "outputs.json")
      return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}
    },

    /** Runs SST with its output on the terminal. Returns the exit code. */
    show(command: "deploy" | "remove"): Promise<number> {
      return new Promise((resolve, reject) => {
        const child = spawn("sst", withStage([command]), { ...options, stdio: "inherit" })
        child.once("error", reject)
        child.once("exit", (code) => resolve(code ?? 1))
      })
    },
  }
}

export type Sst = ReturnType<typeof createSst>
