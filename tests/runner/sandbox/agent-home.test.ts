import { existsSync } from "node:fs"
import { lstat, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { agentEnvironment } from "@switchyard/runner/agents/agent-environment"
import { ownFiles } from "@switchyard/runner/files/files"
import { makeHome, writeHome } from "@switchyard/runner/sandbox/agent-home"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

let folder: string
let home: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "homes-"))
  home = join(folder, "anna")
  await makeHome(home)
})
afterEach(() => rm(folder, { recursive: true }))

const file = { path: ".claude/.claude.json", content: "{}" }
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

describe("the home of an account", () => {
  it("is for its owner's eyes only, whatever the umask says", async () => {
    const before = process.umask(0)
    try {
      await rm(home, { recursive: true })
      await makeHome(home)
      await writeHome(ownFiles, home, [file])
    } finally {
      process.umask(before)
    }
    expect(await modeOf(home)).toBe("700")
    expect(await modeOf(join(home, ".claude"))).toBe("700")
    expect(await modeOf(join(home, file.path))).toBe("600")
  })

  it("keeps what the agent put there", async () => {
    await writeHome(ownFiles, home, [file])
    await writeFile(join(home, ".claude/session.jsonl"), "mine")
    await writeHome(ownFiles, home, [{ ...file, content: "new" }])
    expect(await readFile(join(home, ".claude/session.jsonl"), "utf8")).toBe("mine")
    expect(await readFile(join(home, file.path), "utf8")).toBe("new")
  })

  it("follows no link that an agent left in its way", async () => {
    const outside = join(folder, "outside")
    await mkdir(outside)
    await writeFile(join(outside, "theirs"), "untouched")
    await writeHome(ownFiles, home, [file])
    await rm(join(home, file.path))
    await symlink(join(outside, "theirs"), join(home, file.path))
    await writeHome(ownFiles, home, [file])
    expect(await readFile(join(outside, "theirs"), "utf8")).toBe("untouched")
    await rm(join(home, ".claude"), { recursive: true })
    await symlink(outside, join(home, ".claude"))
    await writeHome(ownFiles, home, [file])
    expect((await lstat(join(home, ".claude"))).isDirectory()).toBe(true)
    expect(existsSync(join(outside, ".claude.json"))).toBe(false)
  })

  it.each(["../x", "a/../../x", "/etc/x"])("holds no file %s", async (path) => {
    await expect(writeHome(ownFiles, home, [{ path, content: "" }])).rejects.toThrow("isn't inside a home")
  })
})

describe("the environment of an agent", () => {
  it("is made of what is named, and of nothing else", () => {
    const host = {
      PATH: "/bin",
      HTTPS_PROXY: "http://proxy",
      ANTHROPIC_API_KEY: "secret",
      CLAUDECODE: "1",
      LD_PRELOAD: "x",
    }
    const environment = agentEnvironment(host, { home, temporary: "/t", programs: ["/tools"] })
    expect(Object.keys(environment).sort()).toEqual(
      ["COLORTERM", "HOME", "HTTPS_PROXY", "LANG", "PATH", "SHELL", "TERM", "TMPDIR"].sort(),
    )
    expect(environment.PATH).toBe("/tools:/bin")
  })
})
