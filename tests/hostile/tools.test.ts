import { execFileSync } from "node:child_process"
import { lstatSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makeRepository } from "../functions/agents/repository.ts"
import { needs } from "../needs.ts"
import { writeMise } from "../runner/project/mise.ts"
import { env, isRoot, openPassable } from "./agent.ts"

// Attempts by an agent on its installed tools, which its checks also use.

const ATTEMPTS = [
  'echo "echo planted" > "$(command -v node)"',
  'echo "echo planted" > "$(dirname "$(command -v node)")/npm"',
  'rm "$(command -v node)"',
  'mv "$(dirname "$(command -v node)")" /tmp/elsewhere',
]
const SETUP = { setup: "", cleanup: "", copy: [], link: [], cache: [], ports: 0, cache_key: "ours" }

describe("tools that a repository names", needs(isRoot ? undefined : "this user isn't root"), () => {
  it.each(["off", "auto"])("can be used and not changed by its agent, with its sandbox %s", async (sandbox) => {
    await using depot = await openPassable()
    const programs = join(depot.folder, "programs")
    mkdirSync(programs)
    writeMise(programs)
    const files = { ".switchyard/setup.yaml": "tools: { node: '22' }\nsetup: node > set-up.txt\n" }
    const { folder } = makeRepository(join(depot.folder, "theirs"), files)
    execFileSync("chown", ["-R", "nobody", folder])
    const path = `${programs}:${process.env.PATH}`
    const runner = depot.start({}, { env: { ...env, PATH: path, SWITCHYARD_AGENT_SANDBOX: sandbox } })
    const commands = [...ATTEMPTS.map((attempt) => `(${attempt}) 2>&- || true`), "node > agent.txt"]
    runner.run(await depot.create({ commands }, folder, { consent: true, setup: SETUP }))
    const end = await Promise.race([depot.seen("run_completed"), depot.seen("run_failed")])
    expect(end).toMatchObject({ type: "run_completed" })
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "safe.directory=*", ...args], { cwd: folder }).toString()
    const branch = git("branch", "--format=%(refname:short)", "--no-merged", "main").trim()
    const told = ["set-up.txt", "agent.txt"].map((name) => git("show", `${branch}:${name}`).trim())
    expect(told).toEqual(["node@22", "node@22"])
    const tools = join(depot.folder, "tools")
    const owners = readdirSync(tools, { recursive: true, encoding: "utf8" })
      .filter((name) => name.startsWith("ours/"))
      .map((name) => lstatSync(join(tools, name)).uid)
    expect([owners.length > 3, new Set(owners)]).toEqual([true, new Set([0])])
  })
})
