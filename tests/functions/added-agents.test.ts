import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { jsonOfYamlInThread } from "@switchyard/core/agents/added/in-thread"
import { withAgentsFile } from "@switchyard/functions/agents-file"
import { loadConfig } from "@switchyard/functions/config"
import { afterEach, beforeAll, describe, expect, it } from "vitest"
import { makeRepository, type TestRepository } from "./agents/repository.ts"
import { startServer, type TestServer } from "./server.ts"

const AGENT = join(import.meta.dirname, "../fixtures/added/acp-agent.mjs")

const FILE = `
helper:
  acp: [${process.execPath}, ${AGENT}]
  modes: { ask: careful, bypass: free }
  hosts: [api.helper.example]
shell:
  command: [bash, -c, "{prompt}"]
keyed:
  command: [bash, -c, "echo $KEYED_KEY >key.txt"]
  key: KEYED_KEY
`

const place = mkdtempSync(join(tmpdir(), "switchyard-added-"))
const file = join(place, "agents.yaml")
beforeAll(() => writeFileSync(file, FILE))

let server: TestServer | undefined

/** A server with two more agents, and a session on a repository. */
async function begin() {
  server = await startServer({ env: await withAgentsFile({ SWITCHYARD_AGENTS: file }, jsonOfYamlInThread) })
  const repository = makeRepository(join(dirname(server.folder), "theirs"))
  const { id } = (await server.call("POST", "/api/v1/sessions", { json: { repository: repository.folder } })).body
  return { server, repository, path: `/api/v1/sessions/${id}` }
}

async function give(
  { server, path }: { server: TestServer; path: string },
  coding_agent: string,
  task_description: string,
) {
  const json = { coding_agent, task_description, consent: true }
  const { task_id } = (await server.call("POST", `${path}/tasks`, { json })).body
  return server.ended(task_id)
}

async function merged({ server, repository, path }: { server: TestServer; repository: TestRepository; path: string }) {
  const { body } = await server.settled("POST", `${path}/worktree/merge`)
  expect(body).toMatchObject({ status: "merged" })
  return (name: string) => repository.git("show", `HEAD:${name}`)
}

describe("agents that the operator added", () => {
  afterEach(() => server?.close())

  it("do a task and a follow-up in their own session, whose diff is merged", async () => {
    const place = await begin()
    const work = (knobs: object) => `Work. acp: ${JSON.stringify(knobs)}`
    expect(await give(place, "helper", work({ files: { "a.txt": "made\n" } }))).toMatchObject({ status: "completed" })
    const diff = await place.server.settled("GET", `${place.path}/worktree/diff`)
    expect(diff.text).toContain("a.txt")
    await give(place, "helper", work({ recall: true }))
    const { events } = (await place.server.call("GET", `${place.path}/events?limit=1000`)).body
    expect(JSON.stringify(events)).toContain("I was told 2 times.")
    expect((await merged(place))("a.txt")).toBe("made\n")
  })

  it("do a task as a command, whose diff is merged", async () => {
    const place = await begin()
    expect(await give(place, "shell", "echo by bash >b.txt")).toMatchObject({ status: "completed" })
    await give(place, "shell", "echo again >>b.txt")
    expect((await merged(place))("b.txt")).toBe("by bash\nagain\n")
  })

  it("receive the key of their account", async () => {
    const place = await begin()
    const { call } = place.server
    const refused = await call("POST", `${place.path}/tasks`, {
      json: { coding_agent: "keyed", task_description: "x" },
    })
    expect(refused.body.error.message).toContain("No API key for keyed.")
    await call("POST", "/api/v1/accounts", { json: { name: "mine", provider: "keyed", api_key: "sk-keyed" } })
    await give(place, "mine", "x")
    expect((await merged(place))("key.txt")).toBe("sk-keyed\n")
  })

  it("are listed, have accounts with keys if they take one, and are named to whoever names another", async () => {
    const { server, path } = await begin()
    const { providers } = (await server.call("GET", "/api/v1/providers")).body
    expect(providers.slice(-3)).toMatchObject([
      { type: "helper", name: "helper", needs_key: false, server_key: true },
      { type: "shell", login: null },
      { type: "keyed", needs_key: true, server_key: false },
    ])
    const create = (json: object) => server.call("POST", "/api/v1/accounts", { json: { name: "mine", ...json } })
    expect((await create({ provider: "keyed" })).body.error.message).toContain("need an api_key")
    expect((await create({ provider: "keyed", api_key: "sk-keyed" })).body).toMatchObject({ has_key: true })
    expect((await create({ provider: "helper", base_url: "https://x.example" })).body.error.message).toContain(
      "base_url",
    )
    expect((await create({ provider: "shell", api_key: "sk-shell" })).body.error.message).toContain("can't use a key")
    const json = { coding_agent: "other", task_description: "x" }
    for (const answer of [await create({ provider: "other" }), await server.call("POST", `${path}/tasks`, { json })]) {
      expect(answer.body.error.message).toContain("vibe, helper, shell, keyed.")
    }
  })
})

describe("the settings of added agents", () => {
  const fault = (settings: object) => {
    try {
      loadConfig({ SWITCHYARD_AGENTS: JSON.stringify(settings) })
      return undefined
    } catch (error) {
      return String(error)
    }
  }
  const acp = ["helper"]

  it.each([
    ["../up", { acp }],
    ["a/b", { acp }],
    [".hidden", { acp }],
    ["A", { acp }],
    ["", { acp }],
    ["a".repeat(33), { acp }],
    ["constructor", { acp }],
    ["__proto__x", { acp }],
    ["claude", { acp }],
    ["google", { acp }],
    ["x", { acp: ["../helper"] }],
    ["x", { acp: ["bin/helper"] }],
    ["x", { acp: [".."] }],
    ["x", { acp: [] }],
    ["x", { acp: ["helper", "a\0b"] }],
    ["x", { acp, command: ["helper"] }],
    ["x", {}],
    ["x", { command: ["bash", "-c", "run '{prompt}'"] }],
    ["x", { acp, sessions: "../other" }],
    ["x", { acp, sessions: "/etc" }],
    ["x", { acp, sessions: "a/../../b" }],
    ["x", { acp, start_files: ["../x"] }],
    ["x", { acp, hosts: ["*"] }],
    ["x", { acp, hosts: ["https://api.example.com"] }],
    ["x", { acp, key: "PATH" }],
    ["x", { acp, key: "a=b" }],
    ["x", { acp, env: { HTTPS_PROXY: "http://elsewhere" } }],
    ["x", { acp, extra: 1 }],
  ])("are refused: %s %j", (id, settings) => {
    expect(fault({ good: { acp }, [id]: settings })).toContain("SWITCHYARD_AGENTS")
  })

  it("may be a path or JSON, and name the wrong field", async () => {
    const read = loadConfig(await withAgentsFile({ SWITCHYARD_AGENTS: file }, jsonOfYamlInThread)).addedAgents
    expect([...read.keys()]).toEqual(["helper", "shell", "keyed"])
    expect(fault({ x: { acp, hosts: ["a b"] } })).toContain("x.hosts.0")
    await expect(withAgentsFile({ SWITCHYARD_AGENTS: join(place, "none.yaml") }, jsonOfYamlInThread)).rejects.toThrow(
      "SWITCHYARD_AGENTS",
    )
  })
})
