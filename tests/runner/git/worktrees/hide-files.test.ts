import { execFileSync } from "node:child_process"
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type BuiltInCli, clis } from "@switchyard/core/agents/clis/clis"
import { type Files, ownFiles } from "@switchyard/runner/files/files"
import type { Git } from "@switchyard/runner/git/plumbing/git"
import { findStartFiles } from "@switchyard/runner/git/worktrees/find-start-files"
import { hideFiles, unhideFiles } from "@switchyard/runner/git/worktrees/hide-files"
import { describe, expect, it, onTestFinished } from "vitest"
import { never as signal } from "../../../settings.ts"
import { ourGit } from "../repositories.ts"

const SETTINGS = ".claude/settings.json"

async function newCheckout(files: Record<string, string> = {}, ignored: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-hide-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const repository = join(folder, "repository")
  const root = join(folder, "tree")
  const run = (cwd: string, ...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], { cwd, encoding: "utf8" })
  await mkdir(repository)
  run(repository, "init", "-q", "-b", "main")
  await write(repository, { "README.md": "It.\n", ".gitignore": `${Object.keys(ignored).join("\n")}\n`, ...files })
  run(repository, "add", "-A")
  run(repository, "commit", "-qm", "begin")
  run(repository, "worktree", "add", "-q", "-b", "work", root)
  await write(root, ignored)
  const git = ourGit()
  const note = join(folder, "note.json")
  const about = { files: ownFiles, git, root }
  const find = (cli: BuiltInCli = "claude", cwd = root) => findStartFiles(clis[cli], { ...about, cwd }, { signal })
  return {
    ...{ root, repository, note, find },
    git: (...args: string[]) => run(root, ...args),
    inRepository: (...args: string[]) => run(repository, ...args),
    write: (written: Record<string, string>) => write(root, written),
    read: (path: string) => readFile(join(root, path), "utf8").catch(() => null),
    async hide(steps?: number) {
      const found = await find()
      await hideFiles(dyingAfter(about, steps), found?.paths ?? [], note, { signal, onHidden() {} })
    },
    unhide: (steps?: number) => unhideFiles(dyingAfter(about, steps), note),
  }
}

/** Returns the folder with files and git that fail after this many changes, like those of a dying process. */
function dyingAfter<T extends { files: Files; git: Git }>(folder: T, steps = Number.POSITIVE_INFINITY): T {
  let left = steps
  const step = () => {
    if (--left < 0) throw new Error("died")
  }
  const files = {
    ...folder.files,
    async rename(...args: Parameters<Files["rename"]>) {
      step()
      await folder.files.rename(...args)
    },
    async makeFolder(...args: Parameters<Files["makeFolder"]>) {
      step()
      await folder.files.makeFolder(...args)
    },
    async remove(...args: Parameters<Files["remove"]>) {
      step()
      await folder.files.remove(...args)
    },
  }
  const git = Object.assign(async (...args: Parameters<Git>) => {
    if (args[0][0] === "update-index") step()
    return folder.git(...args)
  }, folder.git)
  return { ...folder, files, git }
}

async function write(root: string, files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
}

describe("a project's files that start programs", () => {
  it("are found in the root, in folders, and where git ignores them, but not the instructions", async () => {
    const files = {
      ".mcp.json": "{}",
      "sub/.claude/skills/a/SKILL.md": "x",
      ".claude/CLAUDE.md": "text",
      "CLAUDE.md": "",
    }
    const checkout = await newCheckout({ ...files, [SETTINGS]: "{}" }, { ".claude/settings.local.json": "{}" })
    const found = await checkout.find()
    expect(found?.paths).toEqual([
      ".claude/settings.json",
      ".claude/settings.local.json",
      ".mcp.json",
      "sub/.claude/skills",
    ])
    expect(await checkout.find("codex")).toBeUndefined()
  })

  it("have another digest for each change of a path, a content, a mode, and what a link leads to", async () => {
    const checkout = await newCheckout({ ".mcp.json": "{}", ".claude/hook.sh": "true\n", "shared/a.sh": "true\n" })
    await symlink("../shared", join(checkout.root, ".claude/shared"))
    const digests = [(await checkout.find())?.digest]
    const changes = [
      () => checkout.write({ ".mcp.json": "{ }" }),
      () => checkout.write({ ".claude/other": "" }),
      () => chmod(join(checkout.root, ".claude/hook.sh"), 0o755),
      () => checkout.write({ "shared/a.sh": "false\n" }),
      () => rm(join(checkout.root, ".mcp.json")),
    ]
    for (const change of changes) {
      await change()
      digests.push((await checkout.find())?.digest)
    }
    expect(new Set(digests).size).toBe(changes.length + 1)
    expect(digests.every((digest) => typeof digest === "string")).toBe(true)
    await checkout.write({ "src/a.ts": "1" })
    expect((await checkout.find())?.digest).toBe(digests.at(-1))
    await symlink("/etc", join(checkout.root, ".claude/etc"))
    expect((await checkout.find())?.digest).toBeNull()
  })
})

describe("hidden files", () => {
  const mine = { ".mcp.json": "{}\n", [SETTINGS]: "{}\n", ".claude/hooks/a.sh": "true\n" }

  it("are not there, and no change to git", async () => {
    const checkout = await newCheckout(mine)
    await checkout.hide()
    expect((await readdir(checkout.root)).sort()).toEqual([".git", ".gitignore", "README.md"])
    expect(checkout.git("status", "--porcelain")).toBe("")
    await checkout.unhide()
    expect(await Promise.all(Object.keys(mine).map(checkout.read))).toEqual(Object.values(mine))
    expect(checkout.git("status", "--porcelain")).toBe("")
    expect(checkout.git("ls-files", "-t").replaceAll(/^H .*\n/gm, "")).toBe("")
    expect(await readdir(dirname(checkout.note))).not.toContain("note.json")
  })

  it.each([
    ["commits everything", ["add -A", "commit -qm all"]],
    ["commits with -a", ["commit -qam all"]],
    ["stashes and gets it back", ["stash -u", "stash pop"]],
    ["resets", ["reset -q", "reset -q --hard"]],
    ["cleans up", ["clean -ffdxq"]],
    ["works on a branch", ["checkout -qb other", "commit -qam all", "checkout -q work", "merge -q other"]],
    ["rebases", ["commit -qam all", "rebase -q main"]],
    ["takes in a branch", ["commit -qam all", "merge -q --no-edit theirs"]],
  ])("are in no commit as deleted when an agent %s", async (_what, commands) => {
    const checkout = await newCheckout(mine, { ".claude/settings.local.json": "local\n" })
    checkout.inRepository("checkout", "-qb", "theirs")
    await write(checkout.repository, { "theirs.txt": "theirs\n" })
    checkout.inRepository("add", "-A")
    checkout.inRepository("commit", "-qm", "theirs")
    await checkout.hide()
    await checkout.write({ "README.md": "Changed.\n", "new.txt": "new\n" })
    for (const command of commands) checkout.git(...command.split(" "))
    expect(checkout.git("log", "--diff-filter=D", "--name-only", "--format=", "--all").trim()).toBe("")
    await checkout.unhide()
    expect(await Promise.all(Object.keys(mine).map(checkout.read))).toEqual(Object.values(mine))
    expect(await checkout.read(".claude/settings.local.json")).toBe("local\n")
    expect(checkout.git("diff", "--name-only", "HEAD", "--", ...Object.keys(mine))).toBe("")
  })

  it("come back as a merge has them", async () => {
    const checkout = await newCheckout(mine)
    checkout.inRepository("checkout", "-qb", "theirs")
    await write(checkout.repository, { ".mcp.json": "theirs\n" })
    checkout.inRepository("commit", "-qam", "theirs")
    await checkout.hide()
    checkout.git("merge", "-q", "--no-edit", "theirs")
    await checkout.unhide()
    expect(await checkout.read(".mcp.json")).toBe("theirs\n")
    expect(checkout.git("status", "--porcelain")).toBe("")
  })

  it("come back as they were when git's index goes back", async () => {
    const checkout = await newCheckout(mine)
    await checkout.write({ ".mcp.json": "newer\n" })
    checkout.git("commit", "-qam", "newer")
    await checkout.hide()
    checkout.git("reset", "-q", "HEAD~1")
    await checkout.unhide()
    expect(await checkout.read(".mcp.json")).toBe("newer\n")
    expect(checkout.git("status", "--porcelain")).toBe(" M .mcp.json\n")
  })

  it("are in git's index as they were, also if that wasn't committed", async () => {
    const checkout = await newCheckout(mine)
    await checkout.write({ ".mcp.json": "changed\n", ".claude/new.json": "new\n" })
    await checkout.hide()
    checkout.git("add", "-A")
    expect(checkout.git("show", ":.mcp.json")).toBe("changed\n")
    expect(checkout.git("show", ":.claude/new.json")).toBe("new\n")
    await checkout.unhide()
    expect(await checkout.read(".mcp.json")).toBe("changed\n")
    expect(await checkout.read(".claude/new.json")).toBe("new\n")
  })

  it("give way to what an agent wrote in their place, and lose nothing that git doesn't have", async () => {
    const local = ".claude/settings.local.json"
    const checkout = await newCheckout(mine, { [local]: "mine\n" })
    await checkout.hide()
    await checkout.write({ ".mcp.json": "agent's\n", [local]: "agent's\n" })
    await checkout.unhide()
    expect(await checkout.read(".mcp.json")).toBe("agent's\n")
    expect(await checkout.read(local)).toBe("agent's\n")
    expect(await checkout.read(`${local}.before-agent`)).toBe("mine\n")
    expect(checkout.git("status", "--porcelain", "--", ".mcp.json")).toBe(" M .mcp.json\n")
  })

  it("are not there in submodules and nested repositories, and no change to them", async () => {
    const checkout = await newCheckout({ "a.txt": "a\n" })
    const inner = ["module", "deep/nested"]
    for (const folder of inner) {
      await checkout.write({ [`${folder}/skills/.claude/skills/a/SKILL.md`]: "x\n", [`${folder}/.mcp.json`]: "{}\n" })
      checkout.git("init", "-q", folder)
      checkout.git("-C", folder, "add", "-A")
      checkout.git("-C", folder, "commit", "-qm", "begin")
      await checkout.write({ [`${folder}/.lsp.json`]: "{}\n" })
    }
    checkout.git(
      "update-index",
      "--add",
      "--cacheinfo",
      `160000,${checkout.git("-C", "module", "rev-parse", "HEAD").trim()},module`,
    )
    const files = inner.flatMap((folder) =>
      [".lsp.json", ".mcp.json", "skills/.claude/skills"].map((path) => `${folder}/${path}`),
    )
    const found = (await checkout.find())?.paths
    expect(found).toEqual(files.toSorted())
    const before = checkout.git("ls-files", "--stage")
    await checkout.hide()
    expect(await Promise.all(files.map((path) => checkout.read(path)))).toEqual(files.map(() => null))
    for (const folder of inner) expect(checkout.git("-C", folder, "status", "--porcelain")).toBe("A  .lsp.json\n")
    expect(checkout.git("ls-files", "--stage")).toBe(before)
    await checkout.unhide()
    expect(await checkout.read("module/.mcp.json")).toBe("{}\n")
    expect(await checkout.read("deep/nested/skills/.claude/skills/a/SKILL.md")).toBe("x\n")
    for (const folder of inner) {
      expect(checkout.git("-C", folder, "status", "--porcelain")).toBe("A  .lsp.json\n")
      expect(checkout.git("-C", folder, "ls-files", "-t").replaceAll(/^H .*\n/gm, "")).toBe("")
    }
    // Files in a repository that an agent has broken are hidden, too.
    await checkout.write({ "module/.git/HEAD": "nothing" })
    await checkout.hide()
    expect(await checkout.read("module/.mcp.json")).toBeNull()
    await checkout.unhide()
    expect(await checkout.read("module/.mcp.json")).toBe("{}\n")
  })

  it.each(["a file", "a link"])("come back when an agent has made %s of their folder", async (kind) => {
    const checkout = await newCheckout(mine)
    await checkout.hide()
    const folder = join(checkout.root, ".claude")
    if (kind === "a link") await symlink("/etc", folder)
    else await writeFile(folder, "agent's\n")
    await checkout.unhide()
    expect(await Promise.all(Object.keys(mine).map(checkout.read))).toEqual(Object.values(mine))
    expect(await readdir(checkout.root)).toContain(".claude.before-agent")
  })

  it("come back at the next try when the process died at any step", async () => {
    const checkout = await newCheckout(mine, { ".claude/settings.local.json": "local\n" })
    const wanted = { ...mine, ".claude/settings.local.json": "local\n" }
    for (const undo of [false, true]) {
      let steps = 0
      for (let isDead = true; isDead; steps++) {
        if (undo) await checkout.hide()
        isDead = await (undo ? checkout.unhide(steps) : checkout.hide(steps)).then(
          () => false,
          ({ message }) => message === "died",
        )
        await checkout.unhide()
        expect(await Promise.all(Object.keys(wanted).map(checkout.read))).toEqual(Object.values(wanted))
        expect(checkout.git("status", "--porcelain")).toBe("")
        expect(checkout.git("ls-files", "-t").replaceAll(/^H .*\n/gm, "")).toBe("")
      }
      expect(steps).toBeGreaterThan(4)
    }
  })

  it("come back when git has forgotten them", async () => {
    const checkout = await newCheckout(mine)
    await checkout.hide()
    checkout.git("update-index", "--no-skip-worktree", ".mcp.json")
    checkout.git("rm", "-q", "--cached", "--sparse", SETTINGS)
    checkout.git("commit", "-qam", "deleted on purpose")
    await checkout.unhide()
    expect(await Promise.all(Object.keys(mine).map(checkout.read))).toEqual(Object.values(mine))
  })

  it("leave a person's own marks in the index", async () => {
    const checkout = await newCheckout(mine)
    checkout.git("update-index", "--skip-worktree", ".mcp.json")
    await checkout.hide()
    await checkout.unhide()
    expect(checkout.git("ls-files", "-t", ".mcp.json")).toBe("S .mcp.json\n")
    expect(await checkout.read(".mcp.json")).toBe("{}\n")
  })
})
