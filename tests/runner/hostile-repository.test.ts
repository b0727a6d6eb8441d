import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { BuiltInCli, clis } from "@switchyard/core/agents/clis/clis"
import type { PermissionMode } from "@switchyard/core/agents/permissions/schema"
import { INSTRUCTION_FILES, startedBy } from "@switchyard/core/files/start-files"
import { describe, expect, it } from "vitest"
import { makeRepository } from "../functions/agents/repository.ts"
import { LIMIT_MS } from "../settings.ts"
import { type Depot, openDepot } from "./runner-process.ts"

const programs = BuiltInCli.options.filter((cli) => cli !== "mock")
const FILES: Record<string, string> = { vibe: "vibe-acp" }

/**
 * Returns every file that makes some program start something, in the root and below, as scripts that record their runs.
 */
function hostileFiles(): Record<string, string> {
  const names = [...new Set(programs.flatMap((cli) => Object.keys(clis[cli].startFiles)))]
  const isFolder = (name: string) => !/\.(?:jsonc?|env)$|^\.env$/.test(name)
  const paths = names.flatMap((name) => {
    const spelled = [name, `sub/${name}`, `deep/down/${name.toUpperCase()}`]
    return spelled.flatMap((path) => (isFolder(path) ? [`${path}/settings.json`, `${path}/hooks/a.sh`] : [path]))
  })
  const all = [...paths, ...INSTRUCTION_FILES, ".claude/CLAUDE.md", "src/a.sh"]
  return Object.fromEntries(all.map((path) => [path, `echo "${path}" >> "$RAN"\n`]))
}

/** Writes programs that run every file they find, commit everything as agents do, and fail. */
function writeStubs(depot: Depot): string {
  const folder = join(depot.folder, "stubs")
  mkdirSync(folder)
  for (const cli of programs) {
    const lines = [
      "#!/bin/sh",
      `RAN="${depot.folder}/ran-${cli}"; export RAN`,
      'find . -name .git -prune -o -type f -print | while read -r file; do sh "$file"; done',
      'git status --porcelain > "$RAN.status"',
      "date > work.txt; git add -A; git -c user.name=A -c user.email=a@b commit -qm work",
    ]
    writeFileSync(join(folder, FILES[cli] ?? cli), `${lines.join("\n")}\nexit 1\n`, { mode: 0o755 })
  }
  return folder
}

describe("a repository with files that start programs", () => {
  it("starts nothing in any program without consent, and keeps all of them", async () => {
    await using depot = await openDepot()
    const hostile = hostileFiles()
    const repository = makeRepository(join(depot.folder, "theirs"), { "README.md": "It.\n", ...hostile })
    const runner = depot.start({ programs: [writeStubs(depot)] })
    for (const cli of programs) {
      const run = await depot.create({}, repository.folder, { cli, agentId: cli })
      runner.run(run)
      await depot.seen("run_failed", depot.session.state.head)
    }
    const branches = repository.git("branch", "--format=%(refname:short)").trim().split("\n")
    const startsIn = (cli: BuiltInCli) => (path: string) => path.split("/").some((name) => startedBy(clis[cli], name))
    for (const cli of programs) {
      const ran = readFileSync(join(depot.folder, `ran-${cli}`), "utf8")
        .trim()
        .split("\n")
      const wanted = Object.keys(hostile).filter((path) => path === ".claude/CLAUDE.md" || !startsIn(cli)(path))
      const differs = [...ran.filter((path) => !wanted.includes(path)), ...wanted.filter((path) => !ran.includes(path))]
      expect([cli, differs]).toEqual([cli, []])
      expect(readFileSync(join(depot.folder, `ran-${cli}.status`), "utf8")).toBe("")
      const branch = branches.find((name) => name.endsWith(cli)) ?? ""
      const tree = repository.git("ls-tree", "-r", "--name-only", branch).trim().split("\n")
      expect(tree).toEqual(expect.arrayContaining(["work.txt", ...Object.keys(hostile)]))
      expect(repository.git("log", "--diff-filter=D", "--format=%h", branch).trim()).toBe("")
    }
    const folders = readdirSync(join(depot.folder, "projects"), { recursive: true, encoding: "utf8" })
    for (const path of Object.keys(hostile))
      expect(folders.filter((each) => each.endsWith(`tree/${path}`))).toHaveLength(6)
  })

  it("has all of them back when its runner is killed while they are hidden, and starts nothing in the next", async () => {
    await using depot = await openDepot()
    const files = { ".mcp.json": "{}\n", ".claude/hooks/a.sh": "echo a\n", "README.md": "It.\n" }
    const repository = makeRepository(join(depot.folder, "theirs"), files)
    const stubs = join(depot.folder, "stubs")
    mkdirSync(stubs)
    const seen = join(depot.folder, "seen")
    // The first run changes a file, creates a file in the place of a hidden one, and works until it is killed.
    const lines = [
      "#!/bin/sh",
      `ls -A >> "${seen}"; pwd > "${seen}.tree"`,
      `[ -e "${seen}.done" ] && exit 1`,
      `echo mine > .mcp.json; echo changed > README.md; touch "${seen}.done"`,
      "exec sleep 600",
    ]
    writeFileSync(join(stubs, "claude"), `${lines.join("\n")}\n`, { mode: 0o755 })
    const run = await depot.create({}, repository.folder, { cli: "claude", agentId: "one" })
    const first = depot.start({ programs: [stubs] })
    first.run(run)
    await expect.poll(() => existsSync(`${seen}.done`), { timeout: LIMIT_MS }).toBe(true)
    const tree = readFileSync(`${seen}.tree`, "utf8").trim()
    expect(existsSync(join(tree, ".claude"))).toBe(false)
    first.child.kill("SIGKILL")
    await first.exited
    depot.start({ programs: [stubs] }).run(run, await first.claimed)
    await depot.seen("run_failed")
    const names = readFileSync(seen, "utf8").split("\n")
    expect(names.filter((name) => [".claude", ".mcp.json"].includes(name))).toEqual([])
    const read = (path: string) => readFileSync(join(tree, path), "utf8")
    // The agent's file stays. The hidden file's content is only in git.
    expect([read(".mcp.json"), read(".claude/hooks/a.sh"), read("README.md")]).toEqual([
      "mine\n",
      "echo a\n",
      "changed\n",
    ])
    const branch = repository.git("branch", "--format=%(refname:short)").trim().split("\n")
    const work = branch.find((name) => name.endsWith("one")) ?? ""
    expect(repository.git("log", "--diff-filter=D", "--format=%h", work).trim()).toBe("")
    expect(repository.git("show", `${work}:.claude/hooks/a.sh`)).toBe("echo a\n")
  })

  it("works with them after consent in bypass, as long as they are the same", async () => {
    await using depot = await openDepot()
    const files = { ".mcp.json": "{}\n", ".claude/hooks/a.sh": "echo a\n", "README.md": "It.\n" }
    const repository = makeRepository(join(depot.folder, "ours"), files)
    const stubs = join(depot.folder, "stubs")
    mkdirSync(stubs)
    const seen = join(depot.folder, "seen")
    const change = join(depot.folder, "change")
    const script = `#!/bin/sh\nls -A > "${seen}"\n[ -f "${change}" ] && echo "[]" > .mcp.json\nexit 1\n`
    writeFileSync(join(stubs, "claude"), script, { mode: 0o755 })
    const runner = depot.start({ programs: [stubs] })
    async function work(
      agentId: string,
      about: { consent?: boolean; consents?: string[]; mode?: PermissionMode } = {},
    ) {
      const run = await depot.create({}, repository.folder, { cli: "claude", agentId, ...about })
      const since = depot.session.state.head
      runner.run(run)
      await depot.seen("run_failed", since)
      const events = (await depot.events()).filter(({ seq }) => seq > since)
      const allowed = events.filter((event) => event.type === "start_files_allowed")
      const notices = events.flatMap((event) => (event.type === "agent_notice" ? [event.text] : []))
      const names = readFileSync(seen, "utf8").split("\n")
      return { sees: [".mcp.json", ".claude"].map((name) => names.includes(name)), allowed, notices }
    }

    const before = await work("one")
    expect(before.sees).toEqual([false, false])
    expect(before.notices.join()).toContain(".mcp.json, which would start programs")
    expect(before.notices.join()).toContain('"consent": true')
    const asking = await work("asking", { consent: true, mode: "accept_edits" })
    expect(asking).toMatchObject({ sees: [false, false], allowed: [] })
    expect(asking.notices.join()).toContain("because these could override a rule")
    const consented = await work("one", { consent: true })
    expect(consented).toMatchObject({ sees: [true, true], notices: [] })
    expect(consented.allowed).toMatchObject([{ files: [".claude/hooks", ".mcp.json"] }])
    expect(consented.allowed[0]).not.toHaveProperty("given_before")
    // Consent covers a single run. The session itself stores none.
    expect(await work("one")).toMatchObject({ sees: [false, false], allowed: [] })
    const consents = consented.allowed.map(({ digest }) => digest)
    // The next turn notices a change that this turn makes.
    writeFileSync(change, "")
    const known = await work("one", { consents })
    expect(known).toMatchObject({ sees: [true, true], allowed: [{ given_before: true }], notices: [] })
    expect(await work("one", { consents })).toMatchObject({ sees: [false, false], allowed: [] })
    const again = await work("one", { consent: true })
    expect(again).toMatchObject({ sees: [false, false], allowed: [] })
    expect(again.notices.join()).toContain("They differ from the commit")
    // Another worktree has the original files.
    expect(await work("two", { consents })).toMatchObject({ sees: [true, true], notices: [] })
  })
})
