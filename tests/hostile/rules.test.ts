import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makeRepository } from "../functions/agents/repository.ts"
import { needs } from "../needs.ts"
import { confinement } from "../runner/sandbox/confined.ts"
import { env, isRoot, openPassable } from "./agent.ts"

// Attempts by an agent on the files that its repository makes read-only.

const RULES = "readOnly: [LICENSE, migrations, vendor/new]\n"
const FILES = { ".switchyard/permissions.yaml": RULES, LICENSE: "ours\n", "migrations/1.sql": "one\n", "a.txt": "a\n" }
const ATTEMPTS = [
  "echo theirs > LICENSE",
  "rm -f LICENSE",
  "mv a.txt LICENSE",
  "git mv migrations moved",
  "rm -rf migrations && ln -s /tmp migrations",
  "echo two > migrations/2.sql",
  "mv .switchyard gone",
  "mkdir -p vendor/new && echo x > vendor/new/x",
  "git rm -rq . && git commit -qm gone",
  "chmod +x LICENSE",
  "git update-index --assume-unchanged LICENSE; echo hidden > LICENSE",
  "git update-index --skip-worktree migrations/1.sql; echo hidden > migrations/1.sql",
  "printf 'LICENSE\\nmigrations\\n' > .git/info/exclude || true",
]

describe("a repository's read-only files", needs(isRoot ? undefined : "this user isn't root"), () => {
  it.each(["off", ...(confinement.means ? ["require"] : [])])(
    "are as they were after an agent's turn, with its sandbox %s",
    async (sandbox) => {
      await using depot = await openPassable()
      const { folder } = makeRepository(join(depot.folder, "theirs"), FILES)
      execFileSync("chown", ["-R", "nobody", folder])
      const runner = depot.start({}, { env: { ...env, SWITCHYARD_AGENT_SANDBOX: sandbox } })
      const commands = [
        ...ATTEMPTS.map((attempt) => `(${attempt}) 2>&- || true`),
        "cat LICENSE migrations/* > seen.txt || true",
      ]
      runner.run(await depot.create({ commands, files: { "work.txt": "done" } }, folder))
      const end = await Promise.race([depot.seen("run_completed"), depot.seen("run_failed")])
      expect(end, JSON.stringify(end)).toMatchObject({ type: "run_completed" })
      const git = (...args: string[]) =>
        execFileSync("git", ["-c", "safe.directory=*", ...args], { cwd: folder }).toString()
      const branch = git("branch", "--format=%(refname:short)", "--no-merged", "main").trim()
      const changed = git("diff", "--name-only", "main", branch).trim().split("\n")
      expect(changed).toContain("work.txt")
      expect(changed.filter((path) => /^(LICENSE|migrations|vendor|\.switchyard)/.test(path))).toEqual([])
      // In a sandbox, even the agent itself sees no change.
      if (sandbox === "require") expect(git("show", `${branch}:seen.txt`)).toBe("ours\none\n")
      const [worktree] = (await depot.events()).flatMap((event) =>
        event.type === "worktree_changed" && event.status.path ? [event.status.path] : [],
      )
      expect(readFileSync(join(worktree ?? "", "LICENSE"), "utf8")).toBe("ours\n")
    },
  )
})
