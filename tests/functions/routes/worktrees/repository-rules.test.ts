import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeRepository, type TestRepository } from "../../agents/repository.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

const FILE = ".switchyard/permissions.yaml"
const RULES = `
deny: [{ tool: bash, command: touch }]
ask: [{ tool: bash, command: mkdir }]
allow: [{ tool: bash, command: echo }]
readOnly: [LICENSE, migrations]
`
const FILES = { LICENSE: "ours\n", "migrations/1.sql": "one\n", "README.md": "Mine.\n" }

let server: TestServer
let count = 0

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const project = (rules: string, files: Record<string, string> = {}): TestRepository =>
  makeRepository(join(dirname(server.folder), `ruled-${++count}`), { [FILE]: rules, ...FILES, ...files })

type Session = Awaited<ReturnType<typeof openSession>>
const sessionIn = ({ folder }: TestRepository) => openSession(server, folder)

/** Gives the mock agent a task and resolves to the ended run. */
async function work(session: Session, knobs: object, about: object = {}) {
  const task_description = `Do it. mock: ${JSON.stringify(knobs)}`
  const json = { coding_agent: "mock", task_description, ...about }
  const { status, text, body } = await server.call("POST", `/api/v1/sessions/${session.id}/tasks`, { json })
  expect(status, text).toBe(201)
  return server.ended(body.task_id)
}
async function ofType(session: Session, ...types: string[]) {
  return (await session.events()).filter(({ type }) => types.includes(type))
}
const treeOf = async (session: Session): Promise<string> => (await session.ask("GET")).body.path
const commit = (here: TestRepository, message = "change") => {
  here.git("add", "-A")
  here.git("commit", "-qm", message)
}

describe("a repository's rules", () => {
  it("deny at once, and allow only after consent to exactly their content", async () => {
    const here = project(RULES)
    const session = await sessionIn(here)
    const commands = ["touch made.txt", "echo hello"]
    const run = await work(session, { commands, files: {} })
    expect(run).toMatchObject({ status: "completed", warning: expect.stringContaining("the rules that allow") })
    const [read] = await ofType(session, "repository_rules_read")
    expect(read).toMatchObject({ rules: { read_only: [FILE, "LICENSE", "migrations"], deny: [{ command: "touch" }] } })
    expect(await ofType(session, "agent_refused")).toMatchObject([{ tool: expect.stringContaining("touch made.txt") }])
    expect(existsSync(join(await treeOf(session), "made.txt"))).toBe(false)
    const shown = (await server.call("GET", `/api/v1/sessions/${session.id}/permissions`)).body
    expect(shown).toMatchObject({ rules: [], repository: { main: { rules: { ask: [{ command: "mkdir" }] } } } })
    const consented = await work(session, { commands: ["echo hello"], files: {} }, { mode: "ask", consent: true })
    expect(consented).toMatchObject({ status: "completed" })
    expect(await ofType(session, "question_asked", "start_files_allowed")).toMatchObject([{ files: [FILE] }])

    // A changed file needs a new consent. Without one, the agent asks.
    here.write({ [FILE]: RULES.replace("echo", "ls") })
    commit(here)
    const next = await sessionIn(here)
    expect(await work(next, { commands: ["echo hello"], files: {} })).toMatchObject({
      warning: expect.stringContaining(FILE),
    })
    expect(await ofType(next, "start_files_allowed")).toEqual([])
  })

  it("are those of the commit that the worktree was created from, whatever an agent does to the file", async () => {
    const here = project(RULES)
    here.git("config", "user.name", "Ada")
    here.git("config", "user.email", "ada@example.org")
    const session = await sessionIn(here)
    const commands = [
      `rm ${FILE}`,
      "printf 'ours, changed' > LICENSE; git mv migrations moved; ln -s /tmp migrations",
      "git add -A; git commit -qm meddle",
    ]
    expect(await work(session, { commands, files: {} })).toMatchObject({ status: "completed" })
    const tree = await treeOf(session)
    const text = (path: string) => readFileSync(join(tree, path), "utf8")
    expect([text(FILE), text("LICENSE"), text("migrations/1.sql")]).toEqual([RULES, "ours\n", "one\n"])
    expect(await ofType(session, "agent_changes_reverted")).toMatchObject([{ file_count: expect.any(Number) }])
    await work(session, { commands: ["touch made.txt"], files: {} })
    expect(existsSync(join(tree, "made.txt"))).toBe(false)
    expect(await ofType(session, "repository_rules_read")).toHaveLength(1)
  })

  it.each([
    ["a changed file", (tree: string) => `echo theirs > ${tree}/LICENSE`, "LICENSE"],
    ["a moved file", (tree: string) => `git -C ${tree} mv migrations/1.sql one.sql`, "migrations/1.sql"],
    ["a new file", (tree: string) => `echo two > ${tree}/migrations/2.sql`, "migrations/2.sql"],
    [
      "a link in a folder's place",
      (tree: string) => `cd ${tree} && mv migrations m && ln -s m migrations`,
      "migrations",
    ],
    [
      "another spelling",
      (tree: string) => `mkdir ${tree}/Migrations && echo 1 > ${tree}/Migrations/3.sql`,
      "Migrations",
    ],
    ["an executable file", (tree: string) => `chmod +x ${tree}/LICENSE`, "LICENSE"],
    ["no rules", (tree: string) => `rm -r ${tree}/.switchyard`, FILE],
    [
      "the changes of another branch",
      (tree: string) => `git -C ${tree} -c user.name=Eve -c user.email=eve@example.org merge -q other`,
      "LICENSE",
    ],
  ])("refuse a merge of %s, and nothing is merged", async (_, change, named) => {
    const here = project(RULES)
    here.git("checkout", "-qb", "other")
    here.write({ LICENSE: "theirs\n" })
    commit(here)
    here.git("checkout", "-q", "main")
    const session = await sessionIn(here)
    await work(session, { files: { "work.txt": "done" } })
    // Changed outside of the agent's turn, as if the runner was lost before it could revert the change.
    const { execSync } = await import("node:child_process")
    execSync(change(await treeOf(session)), { stdio: "ignore" })
    const head = here.git("rev-parse", "main")
    const merged = await session.ask("POST", "/merge", { json: {} })
    expect(merged.status).toBe(409)
    expect(merged.body.error).toMatchObject({
      code: "worktree_conflict",
      message: expect.stringMatching(/read-only in this repository: .*git restore/),
      details: { files: expect.arrayContaining([expect.stringContaining(named)]) },
    })
    expect(here.git("rev-parse", "main")).toBe(head)
  })

  it("are merged when the target branch itself changed them", async () => {
    const here = project(RULES)
    const session = await sessionIn(here)
    await work(session, { files: { "work.txt": "done" } })
    here.write({ LICENSE: "newer\n", [FILE]: `${RULES}# newer\n` })
    commit(here)
    expect((await session.ask("POST", "/merge", { json: {} })).body).toMatchObject({ status: "merged" })
    expect(here.git("show", "main:LICENSE")).toBe("newer\n")
  })

  it.each([
    ["a mistake", "deny:\n  - tool: bash\n    comand: rm\n", "Line 2, `deny.0`"],
    ["too much text", `readOnly: ["${"x".repeat(20_000)}"]`, "must not be larger than 16 KB"],
  ])("with %s stop every agent before anything runs", async (_, rules, reason) => {
    const session = await sessionIn(project(rules, { ".switchyard/setup.yaml": "setup: touch set-up.txt" }))
    const run = await work(session, { commands: ["echo hello"] }, { consent: true })
    expect(run).toMatchObject({ status: "failed", error: { error_type: "setup_failed" } })
    expect(run.error.message).toContain(reason)
    expect(await ofType(session, "agent_turn_started", "worktree_script_started", "start_files_allowed")).toEqual([])
    expect(await ofType(session, "repository_rules_read")).toMatchObject([{ rules: null, fault: run.error.message }])
  })

  it.each(["a link", "a link in its folder's place", "another name"])("aren't ignored through %s", async (which) => {
    const here = project(RULES, { "elsewhere/permissions.yaml": "deny: []" })
    const at = (path: string) => join(here.folder, path)
    if (which === "another name") renameSync(at(FILE), at(".switchyard/Permissions.yml"))
    else {
      const isFolder = which.includes("folder")
      rmSync(at(".switchyard"), { recursive: true })
      if (!isFolder) mkdirSync(at(".switchyard"))
      symlinkSync(isFolder ? "elsewhere" : "../elsewhere/permissions.yaml", at(isFolder ? ".switchyard" : FILE))
    }
    commit(here)
    expect(await work(await sessionIn(here), {})).toMatchObject({
      status: "failed",
      error: { error_type: "setup_failed" },
    })
  })
})
