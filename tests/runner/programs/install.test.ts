import { execFileSync, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { access, mkdtemp, readdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { clis } from "@switchyard/core/agents/clis/clis"
import type { NewEvent } from "@switchyard/core/events"
import { systemClock } from "@switchyard/core/time"
import type { InstallDeps } from "@switchyard/runner/programs/install"
import type { Lockfile } from "@switchyard/runner/programs/lockfile"
import { reasonOf } from "@switchyard/runner/programs/npm-errors"
import { npmProgram } from "@switchyard/runner/programs/npm-program"
import { resolveProgram } from "@switchyard/runner/programs/resolve-program"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { NO_DISK, needs } from "../../needs.ts"
import { removeFolder } from "../../remove-folder.ts"
import { never } from "../../settings.ts"
import { type Registry, startRegistry } from "./registry.ts"

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "install-"))
})
afterEach(() => removeFolder(folder, { kill: true }))

const signal = never
const isRoot = process.getuid?.() === 0
/** User and group `nobody`. */
const AGENTS = { uid: 65_534, gid: 65_534 }
const version = clis.gemini.package?.version ?? ""
const script = "#!/usr/bin/env node\nconsole.log('I am here')\n"
const gemini = { name: "@google/gemini-cli", version, files: { "bundle/gemini.js": script } }

/** Returns a lockfile that pins this one package, in the format of `tools/lock-agents.ts`. */
function pinning(
  { name, version }: { name: string; version: string },
  integrity: string,
  kind = "dependencies",
): Lockfile {
  const root = { name: "switchyard-agent", version, [kind]: { [name]: version } }
  const about = { version, integrity, ...(kind === "optionalDependencies" && { optional: true }) }
  const shape = { name: root.name, version, lockfileVersion: 3, requires: true }
  return { ...shape, packages: { "": root, [`node_modules/${name}`]: about } }
}

function installing(
  { url, integrity }: Pick<Registry, "url" | "integrity">,
  changes: Partial<InstallDeps> = {},
): InstallDeps {
  const cache = join(folder, "cache")
  const host = { PATH: process.env.PATH, HOME: folder, npm_config_registry: url, npm_config_cache: cache }
  const lockfileFor = async () => pinning(gemini, integrity)
  return { folder: join(folder, "programs"), clock: systemClock, host, lockfileFor, ...changes }
}

const NOWHERE = { url: "http://127.0.0.1:9", integrity: "sha512-none" }

/** Resolves an agent's program like a task does, and returns it with the reported progress. */
async function wanted(install: InstallDeps, cli: "gemini" | "vibe" | "opencode" = "gemini", stop = signal) {
  const told: NewEvent[] = []
  const append = async (events: NewEvent[]) => void told.push(...events)
  const program = await resolveProgram({ append, install }, { cli, file: cli, path: "/nowhere" }, { signal: stop })
  return { program, told: told.flatMap((event) => (event.type === "progress" ? event.summary : [])) }
}

describe("an agent that isn't on the path", () => {
  it("is installed in its pinned version by one of those who want it, and told of where somebody waits", async () => {
    await using registry = await startRegistry(folder, gemini)
    const install = installing(registry)
    const all = await Promise.all([wanted(install), wanted(install), wanted(install)])
    expect(all.flatMap(({ told }) => told)).toEqual([
      `Installing Gemini CLI ${version} (only needed once on this machine) …`,
    ])
    expect(registry.fetched).toBe(1)
    for (const { program } of all) {
      if ("outcome" in program) throw new Error(program.outcome.message)
      // Starts with our own Node, even if another one comes first on the path.
      expect(program.file).toBe(process.execPath)
      expect(execFileSync(program.file, program.args, { encoding: "utf8", env: {} })).toBe("I am here\n")
    }
    expect((await wanted(install)).told).toEqual([])
    expect((await readdir(install.folder)).sort()).toEqual([".locks", `gemini-${version}`])
  })

  it("is installed by the next one, where the first was killed in the middle of it", async () => {
    await using registry = await startRegistry(folder, gemini)
    registry.holds = true
    const install = installing(registry)
    const { clock: _, lockfileFor, ...told } = install
    const lockfile = await lockfileFor?.("gemini")
    const code = `
      import { installCli } from "@switchyard/runner/programs/install"
      import { systemClock } from "@switchyard/core/time"
      const { lockfile, ...told } = JSON.parse(process.argv[1])
      const deps = { ...told, clock: systemClock, lockfileFor: async () => lockfile }
      await installCli(deps, "gemini", { begins: async () => {}, signal: new AbortController().signal })`
    const args = ["--input-type=module", "-e", code, JSON.stringify({ ...told, lockfile })]
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
    const install = installing(registry)
    const stop = new AbortController()
    const working = wanted(install, "gemini", stop.signal)
    await registry.asked
    stop.abort()
    expect((await working).program).toMatchObject({ outcome: { problem: "cancelled" } })
    expect(await readdir(install.folder)).toEqual([".locks"])
  })

  it("says what a person can do where the registry can't be reached", async () => {
    const { program } = await wanted(installing(NOWHERE))
    expect(program).toHaveProperty("outcome.message", expect.stringContaining("registry can't be reached"))
    expect(program).toHaveProperty("outcome.message", expect.stringContaining(`@google/gemini-cli@${version}`))
  })

  it("is refused, and not there at all, where the registry has something else under its name and version", async () => {
    await using registry = await startRegistry(folder, gemini)
    const tampered = { ...gemini, files: { "bundle/gemini.js": `${script}steal()\n` } }
    await using other = await startRegistry(folder, tampered)
    const install = installing({ url: other.url, integrity: registry.integrity })
    const { program } = await wanted(install)
    expect(program).toHaveProperty(
      "outcome.message",
      expect.stringContaining("doesn't match the pinned hash (EINTEGRITY)"),
    )
    expect(await readdir(install.folder)).toEqual([".locks"])
    // With the content that the lockfile pins, the installation succeeds.
    expect((await wanted(installing(registry))).program).toHaveProperty("file")
  })

  it("is refused, too, where npm would go on without the part that was tampered with", async () => {
    const name = `opencode-${process.platform}-${process.arch}`
    const opencode = { name, version, files: { "bin/opencode": "#!/bin/sh\n" } }
    await using registry = await startRegistry(folder, opencode)
    const lockfileFor = async () => pinning(opencode, `sha512-${"A".repeat(86)}==`, "optionalDependencies")
    const install = installing(registry, { lockfileFor })
    const { program } = await wanted(install, "opencode")
    expect(program).toHaveProperty(
      "outcome.message",
      expect.stringContaining(`npm couldn't fetch or verify ${name} as pinned`),
    )
    expect(await readdir(install.folder)).toEqual([".locks"])
  })

  it("isn't fetched at all where its lockfile has none for this machine", async () => {
    await using registry = await startRegistry(folder, gemini)
    const { program, told } = await wanted(installing(registry), "opencode")
    expect(program).toHaveProperty("outcome.message", expect.stringContaining("isn't pinned in the lockfile"))
    expect([told, registry.fetched]).toEqual([[], 0])
  })

  it("runs no script of a package", async () => {
    const mark = join(folder, "script-ran")
    const scripts = { preinstall: `touch ${mark}`, install: `touch ${mark}`, postinstall: `touch ${mark}` }
    await using registry = await startRegistry(folder, gemini, { scripts })
    expect((await wanted(installing(registry))).program).toHaveProperty("file")
    await expect(access(mark)).rejects.toThrow("ENOENT")
  })

  it(
    "is unpacked by the agents' user, who can change nothing of it then",
    needs(isRoot ? undefined : "this user isn't root"),
    async () => {
      chmodSync(folder, 0o711)
      await using registry = await startRegistry(folder, gemini)
      // An npm that records its user id.
      const seen = join(folder, "seen")
      mkdirSync(join(folder, "path"))
      writeFileSync(seen, "")
      chmodSync(seen, 0o666)
      const real = execFileSync("sh", ["-c", "command -v npm"], { encoding: "utf8" }).trim()
      writeFileSync(join(folder, "path/npm"), `#!/bin/sh\nid -u > ${seen}\nexec ${real} "$@"\n`, { mode: 0o755 })
      const plain = installing(registry)
      const host = { ...plain.host, PATH: `${join(folder, "path")}:${process.env.PATH}` }
      const install = { ...plain, user: AGENTS, host }
      const { program } = await wanted(install)
      if ("outcome" in program) throw new Error(program.outcome.message)
      expect(readFileSync(seen, "utf8")).toBe(`${AGENTS.uid}\n`)
      const asAgents = { ...AGENTS, encoding: "utf8" as const, env: {}, cwd: "/" }
      expect(execFileSync(program.file, program.args, asAgents)).toBe("I am here\n")
      const target = join(install.folder, `gemini-${version}`)
      const kinds = execFileSync("find", [target, "-printf", "%u %m %y\n"], { encoding: "utf8" })
      expect(new Set(kinds.trim().split("\n"))).toEqual(
        new Set(["root 755 d", "root 644 f", "root 755 f", "root 777 l"]),
      )
      expect(() => execFileSync("touch", [program.args[0] ?? ""], { ...asAgents, stdio: "ignore" })).toThrow()
    },
  )

  it("says so where its version doesn't exist", async () => {
    await using registry = await startRegistry(folder, { ...gemini, version: "0.0.1" })
    const { program } = await wanted(installing(registry))
    expect(program).toHaveProperty("outcome.message", expect.stringContaining("No matching version found"))
  })

  it("says so where the disk is full", needs(process.getuid?.() === 0 ? undefined : NO_DISK), async () => {
    const small = join(folder, "small")
    mkdirSync(small)
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", small])
    try {
      const noise = randomBytes(3 * 1024 * 1024).toString("base64")
      await using registry = await startRegistry(folder, { ...gemini, files: { ...gemini.files, noise } })
      const { program } = await wanted(installing(registry, { folder: join(small, "programs") }))
      expect(program).toHaveProperty("outcome.message", expect.stringContaining("the disk is full"))
      expect(await readdir(join(small, "programs"))).toEqual([".locks"])
    } finally {
      execFileSync("umount", [small])
    }
  })

  it("isn't there where npm could write a file only in part, and called that a warning", async () => {
    const path = join(folder, "path")
    mkdirSync(path)
    const warning = "npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write"
    const modules = "node_modules/@google/gemini-cli"
    const unpack = `mkdir -p ${modules}/bundle; touch ${modules}/package.json ${modules}/bundle/gemini.js`
    const npm = `#!/bin/sh\n${unpack}; echo "${warning}" >&2\n`
    writeFileSync(join(path, "npm"), npm, { mode: 0o755 })
    const install = installing(NOWHERE)
    const host = { ...install.host, PATH: `${path}:${process.env.PATH}` }
    const { program } = await wanted({ ...install, host })
    expect(program).toHaveProperty("outcome.message", expect.stringContaining("the disk is full"))
    expect(await readdir(install.folder)).toEqual([".locks"])
  })

  it("is never fetched from anywhere else than npm: of one in Python, it says how to get it", async () => {
    const { program } = await wanted(installing(NOWHERE), "vibe")
    const advice = `uv tool install mistral-vibe==${clis.vibe.package?.version}`
    expect(program).toHaveProperty("outcome.message", expect.stringContaining(advice))
    await expect(access(join(folder, "programs"))).rejects.toThrow("ENOENT")
  })

  it("is, where its package is a wrapper that would fetch a program, the program itself", () => {
    const arm = { platform: "linux", arch: "arm64" }
    const found = {
      registry: "npm",
      name: "wrapper",
      version,
      build: "native-{platform}-{arch}",
      program: "bin/it",
    } as const
    const program = npmProgram("it", { ...found, needs: ["more-{arch}"], forgotten: ["{platform}/rg"] }, arm)
    expect(program).toEqual({
      needed: ["native-linux-arm64", "more-arm64"],
      programs: { it: "native-linux-arm64/bin/it" },
      forgotten: ["native-linux-arm64/linux/rg"],
    })
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

it("isn't run by the Node that a project names, but by the machine's", async () => {
  const [machine, project] = ["machine", "project"].map((name) => join(folder, name)) as [string, string]
  for (const place of [machine, project]) {
    mkdirSync(place)
    writeFileSync(join(place, "node"), "#!/bin/sh\n", { mode: 0o755 })
  }
  writeFileSync(join(machine, "gemini"), "#!/usr/bin/env node\n", { mode: 0o755 })
  writeFileSync(join(machine, "codex"), "#!/bin/sh\n", { mode: 0o755 })
  // A project's tool must not replace the agent, either.
  writeFileSync(join(project, "gemini"), "#!/bin/sh\n", { mode: 0o755 })
  const found = (cli: "gemini" | "codex") => {
    const about = { cli, file: cli, path: [project, machine].join(delimiter), toolPath: [project] }
    return resolveProgram({ append: async () => {} }, about, { signal })
  }
  expect(await found("gemini")).toEqual({ file: join(machine, "node"), args: [join(machine, "gemini")] })
  expect(await found("codex")).toEqual({ file: join(machine, "codex"), args: [] })
})
