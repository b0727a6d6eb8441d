import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { writeMise } from "../../../runner/project/mise.ts"
import { makeRepository, type TestRepository } from "../../agents/repository.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

const FILE = ".switchyard/setup.yaml"

let server: TestServer
let programs: string
let count = 0

beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), "switchyard-mise-"))
  writeMise(programs)
  server = await startServer()
})
// Runners inherit the environment of the test that starts them.
beforeEach(() => {
  vi.stubEnv("PATH", `${programs}:${process.env.PATH}`)
  rmSync(join(programs, "mise.log"), { force: true })
})
afterAll(async () => {
  await server.close()
  await rm(programs, { recursive: true, force: true })
})

const miseRuns = () => {
  const log = join(programs, "mise.log")
  return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []
}

function project(setup: string, files: Record<string, string> = {}): TestRepository {
  return projectOf({ [FILE]: setup, ...files })
}

function projectOf(files: Record<string, string>): TestRepository {
  const ignored = { ".gitignore": "out/\nnode_modules/\n", "package-lock.json": "{}\n" }
  return makeRepository(join(dirname(server.folder), `project-${++count}`), { ...ignored, ...files })
}

type Session = Awaited<ReturnType<typeof openSession>>

/** Has the mock agent run these commands and resolves to the ended run. */
async function work(session: Session, about: object = {}, commands: string[] = ["true"]) {
  const task_description = `Do it. mock: ${JSON.stringify({ commands })}`
  const json = { coding_agent: "mock", task_description, ...about }
  const { status, text, body } = await server.call("POST", `/api/v1/sessions/${session.id}/tasks`, { json })
  expect(status, text).toBe(201)
  return server.ended(body.task_id)
}

const sessionIn = ({ folder }: TestRepository) => openSession(server, folder)
const treeOf = async (session: Session): Promise<string> => (await session.ask("GET")).body.path
const read = async (session: Session, path: string) => readFileSync(join(await treeOf(session), path), "utf8").trim()
const scriptsOf = async (session: Session) =>
  (await session.events()).flatMap((event) => (event.type === "worktree_script_started" ? [event.command] : []))

const SETUP = `
tools: { node: "22", python: 3.10 }
setup: |
  mkdir -p out
  echo "$(node) $(python) $SWITCHYARD_CACHE" >> out/setup.txt
`

describe("a repository's set-up file", () => {
  it("is used only with the owner's consent, which holds for its content", async () => {
    const here = project(SETUP)
    const session = await sessionIn(here)
    const denied = await work(session, {}, ["mkdir -p out; command -v node > out/node.txt"])
    expect(denied).toMatchObject({ status: "completed", warning: expect.stringContaining(FILE) })
    const notices = (await session.events()).filter(({ type }) => type === "agent_notice")
    expect(notices).toMatchObject([{ text: expect.stringContaining('"consent": true') }])
    expect([miseRuns(), await scriptsOf(session)]).toEqual([[], []])
    expect(await read(session, "out/node.txt")).not.toContain("/tools/")

    // The same worktree is set up once consent is given.
    const commands = ['echo "$(node) $(python-link) $JAVA_HOME $GOROOT $LD_PRELOAD" > out/agent.txt']
    expect(await work(session, { consent: true }, commands)).toMatchObject({ status: "completed" })
    expect(await read(session, "out/setup.txt")).toBe("node@22 python@3.10 miss")
    expect(await read(session, "out/agent.txt")).toMatch(/^node@22 python@3\.10 \/\S+\/tools\/\S+\/java\s*$/)
    const [install, environment] = miseRuns()
    expect(install).toMatch(/\/data\/tools\/\w+\/\w+\/home 1 install node@22 python@3\.10$/)
    expect(environment).toMatch(/home 1 env --json node@22 python@3\.10$/)
    await work(session)
    expect(await read(session, "out/setup.txt")).toBe("node@22 python@3.10 miss")

    const { consents } = (await server.call("GET", "/api/v1/consents")).body
    expect(consents).toMatchObject([{ kind: "start_files", repository: here.folder, files: [FILE] }])
    const next = await sessionIn(here)
    expect(await work(next)).not.toHaveProperty("warning", expect.stringContaining(FILE))
    expect(await read(next, "out/setup.txt")).toBe("node@22 python@3.10 miss")
    // The tools are already installed.
    expect(miseRuns()).toHaveLength(2)

    here.write({ [FILE]: `${SETUP}  echo more\n` })
    here.git("commit", "-qam", "change the set-up")
    const changed = await sessionIn(here)
    expect(await work(changed)).toMatchObject({ warning: expect.stringContaining(FILE) })
    expect(await scriptsOf(changed)).toEqual([])
    await server.call("DELETE", `/api/v1/consents/${consents[0].id}`)
    here.git("checkout", "-q", "HEAD~")
    expect(await work(await sessionIn(here))).toMatchObject({ warning: expect.stringContaining(FILE) })
  })

  it("is taken from the commit that the work started from, whatever an agent or another branch makes of it", async () => {
    const here = project("setup: mkdir -p out && echo honest > out/setup.txt")
    const [first, second] = [await sessionIn(here), await sessionIn(here)]
    const meddles = [
      `echo 'setup: echo meddled > out/setup.txt' > ${FILE}`,
      "git add -A",
      "git -c user.name=A -c user.email=a@b commit -qm meddle",
    ]
    expect(await work(first, {}, meddles)).toMatchObject({ status: "completed" })
    await work(first, { consent: true })
    expect([await read(first, "out/setup.txt"), await scriptsOf(first)]).toMatchObject(["honest", { length: 1 }])

    here.git("checkout", "-qb", "other")
    here.write({ [FILE]: "setup: mkdir -p out && echo other > out/setup.txt" })
    here.git("commit", "-qam", "another set-up")
    here.git("checkout", "-q", "main")
    expect(await work(second, { base_branch: "other" })).toMatchObject({ warning: expect.stringContaining(FILE) })
    expect(await scriptsOf(second)).toEqual([])
  })

  it.each([
    ["a command in a version", "tools: { node: '22; touch /tmp/x' }", "`tools.node`: It must be a version"],
    ["too much text", `setup: "${"x".repeat(20_000)}"`, "must not be larger than 16 KB"],
  ])("with %s fails before anything runs", async (_, setup, reason) => {
    const session = await sessionIn(project(setup))
    const run = await work(session, { consent: true })
    expect(run).toMatchObject({ status: "failed", error: { error_type: "setup_failed" } })
    expect(run.error.message).toContain(reason)
    expect((await session.events()).map(({ type }) => type)).not.toContain("start_files_allowed")
    expect([miseRuns(), await scriptsOf(session)]).toEqual([[], []])
  })

  it.each(["a link", "a link in its folder's place"])("isn't read through %s", async (which) => {
    const here = project("setup: 'true'", { "elsewhere/setup.yaml": "setup: mkdir -p out; touch out/linked" })
    rmSync(join(here.folder, ".switchyard"), { recursive: true })
    const isFolder = which.includes("folder")
    if (!isFolder) mkdirSync(join(here.folder, ".switchyard"))
    symlinkSync(isFolder ? "elsewhere" : "../elsewhere/setup.yaml", join(here.folder, isFolder ? ".switchyard" : FILE))
    here.git("add", "-A")
    here.git("commit", "-qm", "link")
    const session = await sessionIn(here)
    expect((await work(session, { consent: true })).status).toBe("failed")
    expect(await scriptsOf(session)).toEqual([])
  })

  it("fails the task if a tool can't be installed, and tries again with the next", async () => {
    const session = await sessionIn(project("tools: { node: '0' }"))
    const failed = await work(session, { consent: true })
    expect(failed).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("mise install node@0") },
    })
    await work(session, { consent: true })
    expect(miseRuns()).toHaveLength(2)
  })

  it("yields to the owner's own command and cache, but not for the tools", async () => {
    const here = project(`${SETUP}cache: [gone]\n`)
    const own = { setup: 'mkdir -p out; echo "own $(node)" > out/setup.txt', cache: ["node_modules"] }
    const path = "/api/v1/config/repositories"
    await server.call("PUT", path, { json: { repositories: [{ repository: here.folder, ...own }] } })
    const session = await sessionIn(here)
    await work(session, { consent: true })
    expect(await read(session, "out/setup.txt")).toBe("own node@22")
    await server.call("PUT", path, { json: { repositories: [] } })
  })

  it("doesn't run the owner's own command again if the consent comes later", async () => {
    const here = project("tools: { node: '22' }\nsetup: exit 1")
    const path = "/api/v1/config/repositories"
    // Like `createdb`, the command fails when it runs again.
    await server.call("PUT", path, { json: { repositories: [{ repository: here.folder, setup: "mkdir out" }] } })
    const session = await sessionIn(here)
    expect(await work(session)).toMatchObject({ status: "completed" })
    const consented = await work(session, { consent: true }, ["node > out/node.txt"])
    expect(consented).toMatchObject({ status: "completed", error: null })
    expect(await read(session, "out/node.txt")).toBe("node@22")
    await work(session)
    expect(await scriptsOf(session)).toEqual(["mkdir out", "mise install node@22"])
    await server.call("PUT", path, { json: { repositories: [] } })
  })

  it("leaves folders in the cache for the next worktree, until the set-up changes", async () => {
    const setup = "setup: mkdir -p node_modules out; touch node_modules/a; echo $SWITCHYARD_CACHE > out/cache.txt\n"
    const here = project(`${setup}cache: [node_modules]\n`)
    const cacheOf = async () => {
      const session = await sessionIn(here)
      await work(session, { consent: true })
      return read(session, "out/cache.txt")
    }
    expect([await cacheOf(), await cacheOf()]).toEqual(["miss", "hit"])
    here.write({ [FILE]: `${setup}cache: [node_modules]\ntools: { go: '1.24' }\n` })
    here.git("commit", "-qam", "other tools")
    expect(await cacheOf()).toBe("miss")
  })

  it("has its tools used for the task's checks", async () => {
    const here = project("tools: { node: '22' }")
    const json = { repositories: [{ repository: here.folder, checks: { test: 'test "$(node)" = node@22' } }] }
    await server.call("PUT", "/api/v1/config/repositories", { json })
    const session = await sessionIn(here)
    const run = await work(session, { consent: true, verify: true }, ["echo work > work.txt"])
    expect([run.status, run.error]).toEqual(["completed", null])
    await server.call("PUT", "/api/v1/config/repositories", { json: { repositories: [] } })
  })

  it("has its tools installed for merge queues and checks if they are missing, with and without the worktree", async () => {
    const here = project("tools: { node: '22' }")
    const json = { repositories: [{ repository: here.folder, checks: { test: 'test "$(node)" = node@22' } }] }
    await server.call("PUT", "/api/v1/config/repositories", { json })
    const session = await sessionIn(here)
    await work(session, { consent: true }, ["echo work > work.txt"])
    const passes = async (path: string, about: object) => {
      rmSync(join(server.folder, "tools"), { recursive: true })
      const json = { consent: true, ...about }
      const { body } = await server.call("POST", `/api/v1/sessions/${session.id}/${path}`, { json })
      expect(await server.ended(body.run_id)).toMatchObject({ status: "completed", verdict: { status: "passed" } })
    }
    await passes("merge-trains", { worktrees: ["main"], checks: true })
    expect((await session.ask("GET")).body.exists).toBe(false)
    await session.edit("work.txt", "more work")
    await passes("checks", {})
    expect(miseRuns()).toHaveLength(6)
    await server.call("PUT", "/api/v1/config/repositories", { json: { repositories: [] } })
  })

  it("makes do with the machine's own tools without mise, and says so", async () => {
    vi.stubEnv("PATH", process.env.PATH?.replace(`${programs}:`, "") ?? "")
    const session = await sessionIn(project(`${SETUP.replace("$(python)", "")}`.replace("$(node)", "")))
    expect(await work(session, { consent: true })).toMatchObject({ status: "completed" })
    const [notice] = (await session.events()).filter(({ type }) => type === "agent_notice")
    expect(notice?.text).toMatch(/node@22, python@3\.10, but this machine has no mise.*Install mise/)
    expect(await read(session, "out/setup.txt")).toBe("miss")
  })
})

describe("a repository's version files", () => {
  const shown = ["mkdir -p out; node > out/node.txt; go >> out/node.txt"]

  it("name the tools, with the owner's consent to these versions", async () => {
    const here = projectOf({ ".nvmrc": "v22\n", "go.mod": "module a.test/b\ngo 1.24\n" })
    const session = await sessionIn(here)
    const denied = await work(session, {}, ["true"])
    expect(denied.warning).toContain("the tools in .nvmrc (node@22), go.mod (go@1.24). To allow this")
    expect(miseRuns()).toEqual([])
    const run = await work(session, { consent: true }, shown)
    expect([run.status, run.warning]).toEqual(["completed", null])
    expect(await read(session, "out/node.txt")).toBe("node@22\ngo@1.24")
    expect(await scriptsOf(session)).toEqual(["mise install node@22 go@1.24"])
    const { consents } = (await server.call("GET", "/api/v1/consents")).body
    const consent = consents.find(({ repository }: { repository: string }) => repository === here.folder)
    expect(consent.files).toEqual([".nvmrc (node@22)", "go.mod (go@1.24)"])

    here.write({ "go.mod": "module a.test/b\ngo 1.24\nrequire c.test/d v1.0.0\n" })
    here.git("commit", "-qam", "same versions")
    const next = await sessionIn(here)
    expect(await work(next, {}, shown)).toMatchObject({ status: "completed", warning: null })

    here.write({ ".nvmrc": "20\n" })
    here.git("commit", "-qam", "another version")
    expect((await work(await sessionIn(here))).warning).toContain("node@20")
  })

  it("yield to the tools of the set-up file, and need a consent of their own beside its command", async () => {
    const named = await sessionIn(project("tools: {}\nsetup: mkdir out", { ".nvmrc": "22" }))
    expect(await work(named, { consent: true })).toMatchObject({ status: "completed", warning: null })
    expect([miseRuns(), await scriptsOf(named)]).toEqual([[], ["mkdir out"]])

    const here = project("setup: mkdir -p out", { ".nvmrc": "22" })
    const session = await sessionIn(here)
    await work(session, { consent: true })
    expect(await scriptsOf(session)).toEqual(["mise install node@22", "mkdir -p out"])
    here.write({ ".nvmrc": "20" })
    here.git("commit", "-qam", "another version")
    const later = await sessionIn(here)
    expect((await work(later)).warning).toMatch(/without the tools in \.nvmrc \(node@20\)\./)
    await work(later, { consent: true }, ["node > out/node.txt"])
    expect(await scriptsOf(later)).toEqual(["mkdir -p out", "mise install node@20"])
    expect(await read(later, "out/node.txt")).toBe("node@20")
  })

  it("are read from the commit that the work started from, and only if they are files", async () => {
    const here = projectOf({ "22": "22\n", ".python-version": "3.12\n" })
    symlinkSync("22", join(here.folder, ".nvmrc"))
    here.git("add", "-A")
    here.git("commit", "-qm", "link")
    const session = await sessionIn(here)
    await work(session, {}, ["echo 1.25 > .ruby-version", "git add -A"])
    await work(session, { consent: true })
    expect(await scriptsOf(session)).toEqual(["mise install python@3.12"])
  })

  it("aren't mentioned without mise, because the machine's own tools are used anyway", async () => {
    vi.stubEnv("PATH", process.env.PATH?.replace(`${programs}:`, "") ?? "")
    const session = await sessionIn(projectOf({ ".nvmrc": "22" }))
    expect(await work(session)).toMatchObject({ status: "completed", warning: null })
  })
})
