import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { clis } from "@switchyard/core/agents/clis/clis"
import { ownFiles } from "@switchyard/runner/files/files"
import { isAsCommitted } from "@switchyard/runner/git/worktrees/as-committed"
import { findStartFiles } from "@switchyard/runner/git/worktrees/find-start-files"
import { describe, expect, it, onTestFinished } from "vitest"
import { never as signal } from "../../../settings.ts"
import { ourGit, plainGit } from "../repositories.ts"

const FILES = {
  ".mcp.json": "{}\n",
  ".claude/settings.json": "{}\n",
  ".claude/hooks/a.sh": "echo a\n",
  "skills/one.md": "One.\n",
  "other/one.md": "Other.\n",
}

async function newRepository(format = "sha1") {
  const root = await mkdtemp(join(tmpdir(), "switchyard-committed-"))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  plainGit(root, "init", "-q", "-b", "main", `--object-format=${format}`)
  for (const [path, content] of Object.entries(FILES)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  await symlink("../skills", join(root, ".claude/skills"))
  plainGit(root, "add", "-A")
  plainGit(root, "commit", "-qm", "begin")
  const commit = plainGit(root, "rev-parse", "HEAD")
  const git = ourGit()
  return {
    root,
    async found() {
      const found = await findStartFiles(clis.claude, { files: ownFiles, git, root, cwd: root }, { signal })
      if (!found) throw new Error("There are no such files.")
      return found
    },
    async isAsCommitted(of = commit) {
      return isAsCommitted({ git, root }, await this.found(), of, { signal })
    },
  }
}

const CHANGES: Record<string, (root: string) => Promise<unknown>> = {
  "another content": (root) => writeFile(join(root, ".mcp.json"), "[]\n"),
  "another content that git's index overlooks": async (root) => {
    plainGit(root, "update-index", "--assume-unchanged", ".mcp.json")
    await writeFile(join(root, ".mcp.json"), "[]\n")
  },
  "another content that is committed": async (root) => {
    await writeFile(join(root, ".mcp.json"), "[]\n")
    plainGit(root, "commit", "-qam", "change")
  },
  "another content that attributes call the same": async (root) => {
    await writeFile(join(root, ".gitattributes"), "* text=auto\n")
    await writeFile(join(root, ".mcp.json"), "{}\r\n")
  },
  "another mode": (root) => chmod(join(root, ".claude/hooks/a.sh"), 0o755),
  "a new file": (root) => writeFile(join(root, ".claude/hooks/b.sh"), "echo b\n"),
  "a new file that git ignores": async (root) => {
    await writeFile(join(root, ".gitignore"), "*.local.json\n")
    await writeFile(join(root, ".claude/settings.local.json"), "{}\n")
  },
  "a file less": (root) =>
    rm(join(root, ".claude/hooks/a.sh")).then(() => writeFile(join(root, ".claude/hooks/c"), "")),
  "another file behind a link": (root) => writeFile(join(root, "skills/two.md"), "Two.\n"),
  "another link": async (root) => {
    await rm(join(root, ".claude/skills"))
    await symlink("../other", join(root, ".claude/skills"))
  },
}

describe("files that start programs", () => {
  it("are those of their commit in a submodule", async () => {
    const repository = await newRepository()
    const { root } = repository
    const module = join(root, "in/module")
    await mkdir(join(module, ".claude/skills"), { recursive: true })
    await writeFile(join(module, ".claude/skills/a.md"), "A.\n")
    await symlink("skills", join(module, ".claude/linked"))
    for (const args of [
      ["init", "-q"],
      ["add", "-A"],
      ["commit", "-qm", "begin"],
    ])
      plainGit(module, ...args)
    expect(await repository.isAsCommitted()).toBe(false)
    plainGit(root, "-c", "advice.addEmbeddedRepo=false", "add", "in/module")
    plainGit(root, "commit", "-qm", "with a submodule")
    const commit = plainGit(root, "rev-parse", "HEAD")
    expect((await repository.found()).paths).toContain("in/module/.claude/skills")
    expect(await repository.isAsCommitted(commit)).toBe(true)
    await writeFile(join(module, ".claude/skills/a.md"), "B.\n")
    plainGit(module, "commit", "-qam", "another")
    expect(await repository.isAsCommitted(commit)).toBe(false)
    plainGit(module, "reset", "-q", "--hard", "HEAD~1")
    expect(await repository.isAsCommitted(commit)).toBe(true)
    await writeFile(join(module, ".git/HEAD"), "nothing")
    expect(await repository.isAsCommitted(commit)).toBe(false)
  })

  it.each(["sha1", "sha256"])("are those of their commit, in a repository with %s", async (format) => {
    const repository = await newRepository(format)
    expect(await repository.isAsCommitted()).toBe(true)
    await writeFile(join(repository.root, "README.md"), "Not about them.\n")
    expect(await repository.isAsCommitted()).toBe(true)
  })

  it.each(Object.keys(CHANGES))("are not those of their commit after %s", async (name) => {
    const repository = await newRepository()
    const { digest } = await repository.found()
    await CHANGES[name]?.(repository.root)
    expect(await repository.isAsCommitted()).toBe(false)
    expect((await repository.found()).digest).not.toBe(digest)
  })
})
