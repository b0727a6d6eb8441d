import { execFileSync, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { access, mkdtemp, readdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { clis } from "@switchyard/core/agents/clis/clis"
import type { NewEvent } from "@switchyard/core/events"
import { systemClock } from "@switchyard/core/time"
import type { InstallDeps } from "@switchyard/runner/programs/install"
import { reasonOf } from "@switchyard/runner/programs/npm-install"
import { npmProgram } from "@switchyard/runner/programs/npm-program"
import { resolveProgram } from "@switchyard/runner/programs/resolve-program"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { NO_DISK, needs } from "../../needs.ts"
import { removeFolder } from "../../remove-folder.ts"
import { never } from "../../settings.ts"
import { startRegistry } from "./registry.ts"

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "install-"))
})
afterEach(() => removeFolder(folder, { kill: true }))

const signal = never
const version = clis.gemini.package?.version ?? ""
const script = "#!/usr/bin/env node\nconsole.log('I am here')\n"
const gemini = { name: "@google/gemini-cli", version, files: { "bundle/gemini.js": script } }

function installing(registry: string, changes: Partial<InstallDeps> = {}): InstallDeps {
  const cache = join(folder, "cache")
  const host = { PATH: process.env.PATH, HOME: folder, npm_config_registry: registry, npm_config_cache: cache }
  return { folder: join(folder, "programs"), clock: systemClock, host, ...changes }
}

/** What a task does that wants the agent. */
async function wanted(install: InstallDeps, cli: "gemini" | "vibe" = "gemini", stop = signal) {
  const told: NewEvent[] = []
  const append = async (events: NewEvent[]) => void told.push(...events)
  const program = await resolveProgram({ append, install }, { cli, file: cli, path: "/nowhere" }, { signal: stop })
  return { program, told: told.flatMap((event) => (event.type === "progress" ? event.summary : [])) }
}

describe("an agent that isn't on the path", () => {
  it("is installed in its pinned version by one of those who want it, and told of where somebody waits", async () => {
    await using registry = await startRegistry(folder, gemini)
    const install = installing(registry.url)
    const all = await Promise.all([wanted(install), wanted(install), wanted(install)])
    expect(all.flatMap(({ told }) => told)).toEqual([`Installing Gemini CLI ${version}, once on this machine …`])
    expect(registry.fetched).toBe(1)
    for (const { program } of all) {
      if ("outcome" in program) throw new Error(program.outcome.message)
      // By our own Node, whichever comes first on the path.
      expect(program.file).toBe(process.execPath)
      expect(execFileSync(program.file, program.args, { encoding: "utf8", env: {} })).toBe("I am here\n")
    }
    expect((await wanted(install)).told).toEqual([])
    expect((await readdir(install.folder)).sort()).toEqual([".locks", `gemini-${version}`])
  })

  it("is installed by the next one, where the first was killed in the middle of it", async () => {
    await using registry = await startRegistry(folder, gemini)
    registry.holds = true
    const install = installing(registry.url)
    const { clock: _, ...told } = install
    const code = `
      import { installCli } from "@switchyard/runner/programs/install"
      import { systemClock } from "@switchyard/core/time"
      const deps = { ...JSON.parse(process.argv[1]), clock: systemClock }
      await installCli(deps, "gemini", { begins: async () => {}, signal: new AbortController().signal })`
    const args = ["--input-type=module", "-e", code, JSON.stringify(told)]
    const cwd = join(import.meta.dirname, "../../..")
    const first = spawn(process.execPath, args, { cwd, stdio: "inherit", detached: true })
    await registry.asked
    process.kill(-(first.pid ?? 0), "SIGKILL")
    await once(first, "exit")
    registry.holds = false
    expect((await wanted(install)).program).toHaveProperty("file")
    expect((await readdir(install.folder)).sort()).toEqual([".locks", `gemini-${version}`])
  })

  it("leaves nothing behind when its installation is cancelled", async () => {
    await using registry = await startRegistry(folder, gemini)
    registry.holds = true
    const install = installing(registry.url)
    const stop = new AbortController()
    const working = wanted(install, "gemini", stop.signal)
    await registry.asked
    stop.abort()
    expect((await working).program).toMatchObject({ outcome: { problem: "cancelled" } })
    expect(await readdir(install.folder)).toEqual([".locks"])
  })

  it("says what a person can do where the registry can't be reached", async () => {
    const { program } = await wanted(installing("http://127.0.0.1:9"))
    expect(program).toHaveProperty("outcome.message", expect.stringContaining("registry can't be reached"))
    expect(program).toHaveProperty("outcome.message", expect.stringContaining(`@google/gemini-cli@${version}`))
  })

  it("says so where its version doesn't exist", async () => {
    await using registry = await startRegistry(folder, { ...gemini, version: "0.0.1" })
    const { program } = await wanted(installing(registry.url))
    expect(program).toHaveProperty("outcome.message", expect.stringContaining("No matching version found"))
  })

  it("says so where the disk is full", needs(process.getuid?.() === 0 ? undefined : NO_DISK), async () => {
    const small = join(folder, "small")
    mkdirSync(small)
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", small])
    try {
      const noise = randomBytes(3 * 1024 * 1024).toString("base64")
      await using registry = await startRegistry(folder, { ...gemini, files: { ...gemini.files, noise } })
      const { program } = await wanted(installing(registry.url, { folder: join(small, "programs") }))
      expect(program).toHaveProperty("outcome.message", expect.stringContaining("the disk is full"))
      expect(await readdir(join(small, "programs"))).toEqual([".locks"])
    } finally {
      execFileSync("umount", [small])
    }
  })

  it("is never fetched from anywhere else than npm: of one in Python, it says how to get it", async () => {
    const { program } = await wanted(installing("http://127.0.0.1:9"), "vibe")
    const advice = `uv tool install mistral-vibe==${clis.vibe.package?.version}`
    expect(program).toHaveProperty("outcome.message", expect.stringContaining(advice))
    await expect(access(join(folder, "programs"))).rejects.toThrow("ENOENT")
  })

  it("is, where its package is a wrapper that would fetch a program, the program itself", () => {
    const arm = { platform: "linux", arch: "arm64" }
    expect(npmProgram("claude", "1.2.3", arm)?.packages).toEqual(["@anthropic-ai/claude-code-linux-arm64@1.2.3"])
    expect(npmProgram("opencode", "1.2.3", arm)?.programs).toEqual({ opencode: "opencode-linux-arm64/bin/opencode" })
  })
})

describe("what npm says when it fails", () => {
  const warning = "(node:36024) [DEP0169] DeprecationWarning: `url.parse()` behavior is not standardized.\n"
  const log = "A complete log of this run can be found in: /home/ada/.npm/_logs/1.log"

  it.each(["npm error", "npm ERR!"])("is read as this version writes it: %s", (prefix) => {
    const refused = ["code ECONNREFUSED", "syscall connect", "errno ECONNREFUSED", "", log]
    const gone = ["code ETARGET", "notarget No matching version found for gemini@9.", log]
    const lines = (all: string[]) => warning + all.map((line) => `${prefix} ${line}\n`).join("")
    expect(reasonOf(lines(refused))).toBe("npm's registry can't be reached (ECONNREFUSED)")
    expect(reasonOf(lines(gone))).toBe("npm says: notarget No matching version found for gemini@9.")
    expect(reasonOf(lines(["code ENOSPC", "syscall write"]))).toBe("the disk is full")
  })

  it("is shown as it is where it is something else", () => {
    expect(reasonOf("sh: 1: npm: Permission denied\n")).toBe("npm says: sh: 1: npm: Permission denied")
  })
})
