import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { someOf } from "../../../settings.ts"
import { makeRepository, type TestRepository } from "../../agents/repository.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const path = "/api/v1/config/repositories"
const set = (repositories: object[]) => server.call("PUT", path, { json: { repositories } })

/** Creates a repository with secrets and dependencies that git ignores. */
function makeProject(name: string): TestRepository {
  const here = makeRepository(join(dirname(server.folder), name), {
    ".gitignore": "node_modules/\n.venv/\n.env\nout/\n",
    "package-lock.json": "{}\n",
    "README.md": "Mine.\n",
  })
  here.write({
    ".env": "SECRET=1\n",
    "notes.txt": "Not ignored.\n",
    "node_modules/left/index.js": "module.exports = 1\n",
    "node_modules/@scope/right/index.js": "module.exports = 2\n",
    "node_modules/.package-lock.json": "{}\n",
    "node_modules/.bin/left": "#!/bin/sh\n",
    ".venv/pyvenv.cfg": "home = /usr/bin\n",
    ".venv/bin/tool": `#!${here.folder}/.venv/bin/python\n`,
    ".venv/lib/python3.12/site-packages/mine.pth": `${here.folder}/src\n`,
    ".venv/lib/python3.12/site-packages/single.py": `HOME = "${here.folder}"\n`,
    ".venv/lib/python3.12/site-packages/theirs/__init__.py": "",
  })
  symlinkSync("tool", join(here.folder, ".venv/bin/tool3"))
  symlinkSync("../packages/own", join(here.folder, "node_modules/own"))
  return here
}

async function pathOf(session: Awaited<ReturnType<typeof openSession>>): Promise<string> {
  return (await session.ask("GET")).body.path
}

describe("settings of repositories", () => {
  it("are none, and then all that were set last", async () => {
    expect((await server.call("GET", path)).body).toEqual({ repositories: [], version: 0 })
    const one = { repository: "/code/tool", setup: "npm ci", copy: ["./.env"], ports: 2 }
    expect(await set([one])).toMatchObject({ status: 200, body: { version: 1 } })
    expect((await server.call("GET", path)).body.repositories).toEqual([
      { ...one, cleanup: "", link: ["node_modules", ".venv", "venv"], cache: [], checks: {} },
    ])
    const stale = { repositories: [], version: 0 }
    expect(await server.call("PUT", path, { json: stale })).toMatchObject({ status: 409 })
    await set([])
  })

  it("have commands of one line for checks", async () => {
    const of = (checks: object) => set([{ repository: "/code/tool", checks }])
    expect((await of({ test: "make e2e" })).body.repositories).toMatchObject([{ checks: { test: "make e2e" } }])
    for (const bad of [{ test: "a\nb" }, { test: "" }, { deploy: "make" }])
      expect(await of(bad)).toMatchObject({ status: 422 })
    await set([])
  })

  it.each(["../.env", "/etc/passwd", "a/../../b", ".git/config", "~/x", ""])("take no path like %j", async (bad) => {
    expect(await set([{ repository: "/code/tool", copy: [bad] }])).toMatchObject({ status: 422 })
  })
})

describe("a task in a repository", () => {
  it("is done by the agent that is preferred there, which is told what to read first", async () => {
    const files = { "docs/GARDEN.md": "Water it.\n", "AGENTS.md": "Be kind.\n" }
    const { folder } = makeRepository(join(dirname(server.folder), "preferred"), files)
    const paths = ["docs/GARDEN.md", "gone.md"]
    const { body: session } = await server.call("POST", "/api/v1/sessions", { json: { repository: folder } })
    const give = () =>
      server.call("POST", `/api/v1/sessions/${session.id}/tasks`, { json: { task_description: "Do." } })
    expect(await give()).toMatchObject({ status: 422, body: { error: { code: "invalid_request" } } })
    await set([{ repository: folder, instructions_paths: paths, preferred_coding_agent: "mock" }])
    const { status, body } = await give()
    expect([status, (await server.ended(body.task_id)).status]).toEqual([201, "completed"])
    const homes = join(server.folder, "homes")
    const sessions = readdirSync(homes, { recursive: true, encoding: "utf8" }).filter((path) =>
      /\.mock\/.*json$/.test(path),
    )
    const told = sessions.map((path) => readFileSync(join(homes, path), "utf8")).join()
    expect(told).toMatch(/docs\/GARDEN\.md`\\n- `[^`]*AGENTS\.md/)
    expect(told).not.toContain("gone.md")
    await set([])
  })
})

describe("a new worktree", () => {
  it("has the dependencies of the checkout, and what is installed in it stays in it", async () => {
    const here = makeProject("linked")
    const session = await openSession(server, here.folder)
    const commands = [
      "echo 3 > node_modules/new.js",
      "rm -r node_modules/left",
      "cat .venv/lib/python3.12/site-packages/mine.pth",
    ]
    expect((await session.task({ commands })).status).toBe("completed")
    const tree = await pathOf(session)
    expect(readlinkSync(join(tree, "node_modules/@scope/right"))).toBe(join(here.folder, "node_modules/@scope/right"))
    expect(readlinkSync(join(tree, "node_modules/own"))).toBe("../packages/own")
    expect(existsSync(join(tree, "node_modules/.package-lock.json"))).toBe(false)
    expect(readFileSync(join(tree, ".venv/bin/tool"), "utf8")).toBe(`#!${tree}/.venv/bin/python\n`)
    expect(readFileSync(join(tree, ".venv/lib/python3.12/site-packages/mine.pth"), "utf8")).toBe(`${tree}/src\n`)
    // Links and the code of packages aren't rewritten.
    expect(readlinkSync(join(tree, ".venv/bin/tool3"))).toBe("tool")
    const single = readFileSync(join(tree, ".venv/lib/python3.12/site-packages/single.py"), "utf8")
    expect(single).toBe(`HOME = "${here.folder}"\n`)
    expect(existsSync(join(here.folder, "node_modules/left/index.js"))).toBe(true)
    expect(existsSync(join(here.folder, "node_modules/new.js"))).toBe(false)
    // The work contains none of these files.
    expect((await session.ask("GET", "/diff")).body.files).toEqual([])
  })

  it("has the files that were to be copied, but for those that would be committed", async () => {
    const here = makeProject("copied")
    await set([{ repository: here.folder, copy: ["./.env", "notes.txt", "none.txt"], link: [] }])
    const session = await openSession(server, here.folder)
    await session.task({})
    const tree = await pathOf(session)
    expect(readFileSync(join(tree, ".env"), "utf8")).toBe("SECRET=1\n")
    expect(existsSync(join(tree, "notes.txt"))).toBe(false)
    expect(existsSync(join(tree, "node_modules"))).toBe(false)
    const prepared = (await session.events()).find(({ type }) => type === "worktree_prepared")
    expect(prepared).toMatchObject({ copied: [".env"], linked: [], skipped: ["notes.txt"] })
    await set([])
  })

  it("is set up once by the repository's command, with ports of its own, and cleaned up when it goes", async () => {
    const here = makeProject("set-up")
    const out = join(dirname(server.folder), "cleaned.txt")
    const setup = 'mkdir -p out && echo "$PORT $SWITCHYARD_PORT_2 $SWITCHYARD_CHECKOUT" >> out/setup.txt'
    await set([{ repository: here.folder, setup, cleanup: `cat out/setup.txt > ${out}`, ports: 2 }])
    const [session, other] = [await openSession(server, here.folder), await openSession(server, here.folder)]
    const commands = ['echo "$PORT" > out/agent.txt']
    expect((await session.task({ commands })).status).toBe("completed")
    expect((await session.task({ commands: ["true"] })).status).toBe("completed")
    await other.task({})
    const [first, second] = [await pathOf(session), await pathOf(other)]
    const line = readFileSync(join(first, "out/setup.txt"), "utf8")
    const [port, next, checkout] = line.trim().split(" ")
    expect(checkout).toBe(here.folder)
    expect(readFileSync(join(first, "out/agent.txt"), "utf8").trim()).toBe(port)
    const others = readFileSync(join(second, "out/setup.txt"), "utf8").trim().split(" ").slice(0, 2)
    expect(new Set([port, next, ...others]).size).toBe(4)
    const terminals = (await server.call("GET", `/api/v1/sessions/${session.id}/terminals`)).body.terminals
    expect(terminals[0]).toMatchObject({ title: "Set-up", open: false, has_recording: true })

    expect((await session.ask("DELETE")).body.deleted).toBe(true)
    expect(readFileSync(out, "utf8")).toBe(line)
    const scripts = (await session.events()).filter(({ type }) => type === "worktree_script_finished")
    expect(scripts).toMatchObject([
      { script: "setup", exit_code: 0 },
      { script: "cleanup", exit_code: 0 },
    ])
    // The deleted worktree's ports are free for the next one.
    const third = await openSession(server, here.folder)
    await third.task({})
    expect(readFileSync(join(await pathOf(third), "out/setup.txt"), "utf8")).toContain(`${port} ${next} `)
    await set([])
  })

  it("is no place for an agent while its set-up fails, and is set up anew with the next task", async () => {
    const here = makeProject("failing")
    await set([{ repository: here.folder, setup: "echo no such package; exit 3", link: [] }])
    const session = await openSession(server, here.folder)
    const run = await session.task({})
    expect(run).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("failed with exit code 3") },
    })
    const events = await session.events()
    expect(events.some(({ type }) => type === "agent_turn_started")).toBe(false)
    expect(events.find(({ type }) => type === "worktree_script_finished")?.output).toContain("no such package")
    await set([{ repository: here.folder, setup: "true", link: [] }])
    expect((await session.task({})).status).toBe("completed")
    await set([])
  })

  it.each(
    someOf(
      [
        ["node_modules", "cached"],
        ["./node_modules/", "cached-by-another-spelling"],
      ],
      1,
    ),
  )("gets the dependencies of an earlier one in %s, while the lockfile is the same", async (folder, name) => {
    const here = makeProject(name)
    const setup =
      'echo "$SWITCHYARD_CACHE" > out.log; [ -d node_modules ] || { mkdir -p node_modules/a; echo 1 > node_modules/a/index.js; }; mkdir -p out; mv out.log out'
    await set([{ repository: here.folder, setup, link: [], cache: [folder] }])
    const prepared = async () => {
      const session = await openSession(server, here.folder)
      expect((await session.task({})).status).toBe("completed")
      const tree = await pathOf(session)
      return { cache: readFileSync(join(tree, "out/out.log"), "utf8").trim(), tree }
    }
    expect((await prepared()).cache).toBe("miss")
    const again = await prepared()
    expect(again.cache).toBe("hit")
    expect(lstatSync(join(again.tree, "node_modules/a/index.js")).isFile()).toBe(true)
    writeFileSync(join(here.folder, "package-lock.json"), '{"other":1}\n')
    here.git("commit", "-qam", "other dependencies")
    expect((await prepared()).cache).toBe("miss")
    await set([])
  })
})
