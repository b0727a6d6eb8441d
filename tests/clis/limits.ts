import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { mkdir, symlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { readFrames } from "../functions/agents/frames.ts"
import { makeRepository, type TestRepository } from "../functions/agents/repository.ts"
import { type Answer, startServer, type TestServer } from "../functions/server.ts"
import { commandLines, processesWith } from "../runner/agents/workshop.ts"
import { models, NOWHERE } from "./scenarios.ts"
import { type Script, type ScriptedModel, startScriptedModel } from "./scripted-model.ts"

/** A task of real programs on a whole server. A program reaches its limit in the middle of the task. */
export interface LimitScenario {
  name: string
  run(scene: Scene): Promise<void>
}

/** A server with accounts for Claude and Codex, each with a scripted model, and a project whose tests fail. */
interface Scene {
  server(): TestServer
  repository: TestRepository
  claude: ScriptedModel
  codex: ScriptedModel
  /**
   * Starts a task for Claude's account to finish the project. `verify` defaults to true. Resolves to the ids of the run
   * and session.
   */
  begin(options?: { verify?: boolean }): Promise<{ run: string; session: string }>
  // biome-ignore lint/suspicious/noExplicitAny: whatever the test expects of them
  eventsOf(session: string, types: string): Promise<any[]>
  restart(): Promise<void>
}

const HALVES = ["half", "double"]
const FUNCTIONS = {
  half: "export const half = (number) => number / 2\n",
  double: "export const double = (number) => number * 2\n",
}

/** A project with tests for the files of both halves of the work: new, changed, deleted and renamed ones. */
const PROJECT = {
  "package.json": `${JSON.stringify({ type: "module", scripts: { test: "node --test" } })}\n`,
  "notes.md": "Notes\n",
  "old.txt": "old\n",
  "before.txt": "kept\n",
  "work.test.js": `import assert from "node:assert"
import { existsSync, readFileSync } from "node:fs"
import { test } from "node:test"

test("half", async () => assert.equal((await import("./half.js")).half(4), 2))
test("double", async () => assert.equal((await import("./double.js")).double(4), 8))
test("files", () => {
  assert.equal(readFileSync("notes.md", "utf8"), "Notes\\none half\\nthe other half\\n")
  assert.equal(existsSync("old.txt"), false)
  assert.equal(readFileSync("after.txt", "utf8"), "kept\\n")
})
`,
}

const FIRST_HALF: Script = [
  [{ write: "half.js", content: FUNCTIONS.half }],
  [{ run: "echo 'one half' >> notes.md && rm old.txt" }],
]
const SECOND_HALF: Script = [
  [{ write: "double.js", content: FUNCTIONS.double }],
  [{ run: "echo 'the other half' >> notes.md && mv before.txt after.txt" }],
  [{ run: "npm test" }],
]

/** Programs of these scenarios. */
export const usedForLimits = ["claude", "codex"] as const

/** A limit ends after this time, which is long enough to stop a server before. */
const RESET_MS = 30_000

export const limitScenarios: LimitScenario[] = [
  {
    name: "Claude meets its limit in the middle of a task, and Codex finishes it",
    async run({ server, claude, codex, begin, eventsOf, ...scene }) {
      await put(server(), "provider-fallback-order", { order: ["claude-work", "codex-work"] })
      claude.script = [...FIRST_HALF, "limited"]
      codex.script = SECOND_HALF
      const { run, session } = await begin()
      await assertDone(server(), { run, session }, scene)
      const switched = await eventsOf(session, "provider_switched")
      assert.equal(switched.length, 1)
      const [{ from_provider, to_provider, problem }] = switched
      console.log(`Codex took over ${await takenOverAfter(eventsOf, session)} s after the limit.`)
      assert.deepEqual([from_provider, to_provider, problem], ["claude", "codex", "quota_exhausted"])
      assert.match(codex.told, /Another agent began this task/)
      assert.match(codex.told, /half\.js/)
    },
  },
  {
    name: "Claude meets its limit in the middle of a task, waits for its end over a restart, and finishes it once",
    async run({ server, claude, codex, begin, eventsOf, restart, ...scene }) {
      const settings = [{ event: "session_usage", threshold: 100, action: "await_reset" }]
      await put(server(), "action-settings", { settings, max_waits: 2 })
      claude.script = [...FIRST_HALF, "limited"]
      claude.resetsAt = Date.now() + RESET_MS
      const { run, session } = await begin()
      await parked(server(), session)
      await restart()
      const restartedAt = Date.now()
      claude.script = SECOND_HALF
      await assertDone(server(), { run, session }, scene)
      const [first, ...later] = await eventsOf(session, "run_parked,run_resumed")
      assert.deepEqual(
        [first, ...later].map(({ type }) => type),
        ["run_parked", "run_resumed"],
      )
      assert.ok(Date.parse(later[0].ts) > restartedAt, "It went on before the restart.")
      const sessions = await eventsOf(session, "agent_session_opened")
      assert.equal(new Set(sessions.map(({ native_session_id }) => native_session_id)).size, 1)
      assert.match(claude.told, /one half/, "Claude goes on without its own conversation.")
      assert.equal(codex.told, "")
    },
  },
  {
    name: "A person goes on with Codex after Claude, and then with Claude again",
    async run({ server, repository, claude, codex, begin, eventsOf }) {
      const next = async (session: string, coding_agent: string, task_description: string) => {
        const json = { coding_agent, task_description }
        const { body } = await accepted(server().call("POST", `/api/v1/sessions/${session}/tasks`, { json }))
        assert.equal((await server().ended(body.task_id)).status, "completed")
      }
      claude.script = FIRST_HALF
      codex.script = SECOND_HALF
      const { run, session } = await begin({ verify: false })
      assert.equal((await server().ended(run)).status, "completed")
      await next(session, "codex-work", "Write the other half.")
      const wordsOfClaude = ["Write half and double", "half.js", "notes.md", "rm old.txt"]
      assert.deepEqual(missing(codex.first, wordsOfClaude), [])
      claude.script = [[{ write: "more.js", content: "" }]]
      claude.first = ""
      await next(session, "claude-work", "Write more.")
      assert.deepEqual(missing(claude.first, ["Write the other half", "double.js"]), [])
      const switched = await eventsOf(session, "provider_switched")
      assert.deepEqual(
        switched.map(({ from_provider, to_provider, problem }) => [from_provider, to_provider, problem]),
        [
          ["claude", "codex", null],
          ["codex", "claude", null],
        ],
      )
      const { branch } = (await server().call("GET", `/api/v1/sessions/${session}/worktree`)).body
      for (const [name, content] of Object.entries(FUNCTIONS)) {
        assert.equal(repository.git("show", `${branch}:${name}.js`), content)
      }
    },
  },
]

function missing(text: string, words: string[]): string[] {
  return words.filter((word) => !text.includes(word))
}

/** Plays a scenario with the programs installed in this folder. */
export async function playLimits({ run }: LimitScenario, programs: string): Promise<void> {
  // Agents inherit the server's environment.
  Object.assign(process.env, NOWHERE)
  let server = await startServer()
  await mkdir(server.folder, { recursive: true })
  await symlink(programs, join(server.folder, "programs"))
  const repository = makeRepository(join(dirname(server.folder), "theirs"), PROJECT)
  // The first entry in the list is the repository's own worktree.
  const projectOf = () => /(?<=\nworktree ).+/.exec(repository.git("worktree", "list", "--porcelain"))?.[0] ?? ""
  const keys = { claude: newKey(), codex: newKey() }
  /** Processes that have a key in their environment or command line while an agent waits for its model. */
  const holders = new Set<string>()
  async function look(): Promise<void> {
    for (const key of Object.values(keys)) for (const pid of await processesWith(key)) holders.add(`${pid}`)
    for (const line of await commandLines()) for (const one of server.canaries.findIn(line, line)) holders.add(one)
  }
  await using claude = await startScriptedModel(keys.claude, projectOf, look)
  await using codex = await startScriptedModel(keys.codex, projectOf, look)
  try {
    const urls = { claude: claude.url, codex: codex.url }
    for (const provider of usedForLimits) {
      const reached = { api_key: keys[provider], base_url: urls[provider], model: models[provider] }
      const json = { name: `${provider}-work`, provider, ...reached }
      await accepted(server.call("POST", "/api/v1/accounts", { json }))
    }
    await run({
      server: () => server,
      ...{ repository, claude, codex },
      async begin({ verify = true } = {}) {
        const user_prompt = `Write ${HALVES.join(" and ")}.`
        const task = { kind: "agent", coding_agent: "claude-work", user_prompt, repository: repository.folder }
        const json = { ...task, verify, consent: true }
        const { run_id, workspace_id } = (await accepted(server.call("POST", "/v1/runs", { json }))).body
        return { run: run_id, session: workspace_id }
      },
      async eventsOf(session, types) {
        const path = `/api/v1/sessions/${session}/events?limit=1000&event_types=${types}`
        return (await server.call("GET", path)).body.events
      },
      async restart() {
        await server.stop()
        server = await startServer({ after: server })
      },
    })
    assert.deepEqual([...holders], [])
  } finally {
    await server.close()
  }
}

/** Resolves to the seconds from the end of the turn that reached the limit to the start of the next program. */
async function takenOverAfter(eventsOf: Scene["eventsOf"], session: string): Promise<string> {
  const turns = await eventsOf(session, "agent_turn_started,agent_turn_finished")
  const [, limited, next] = turns.map(({ ts }) => Date.parse(ts))
  return ((Number(next) - Number(limited)) / 1000).toFixed(1)
}

/** Returns a random key, which nothing else contains. */
export function newKey(): string {
  return `sk-test-${randomBytes(24).toString("hex")}`
}

async function accepted(answering: Promise<Answer>): Promise<Answer> {
  const answer = await answering
  assert.ok(answer.status < 300, answer.text)
  return answer
}

async function put(server: TestServer, name: string, json: object): Promise<void> {
  await accepted(server.call("PUT", `/api/v1/config/${name}`, { json }))
}

async function parked(server: TestServer, session: string): Promise<void> {
  for await (const { data } of readFrames(server, `/api/v1/sessions/${session}/stream?include_terminal=false`)) {
    if (data.type === "run_parked") return
    assert.doesNotMatch(data.type, /^run_(?:completed|failed)$/, JSON.stringify(data))
  }
}

/** Checks that the branch has the whole work and nothing else, and that its tests have passed. */
async function assertDone(
  server: TestServer,
  { run, session }: { run: string; session: string },
  { repository }: Pick<Scene, "repository">,
): Promise<void> {
  const ended = await server.ended(run)
  assert.equal(ended.status, "completed", JSON.stringify(ended))
  assert.equal(ended.verdict?.status, "passed", JSON.stringify(ended.verdict))
  const { branch } = (await server.call("GET", `/api/v1/sessions/${session}/worktree`)).body
  assert.equal(repository.git("rev-parse", branch).trim(), ended.verdict.commit)
  const changed = repository.git("diff", "--name-status", "--no-renames", "main", branch).trim().split("\n")
  const expected = ["A\tafter.txt", "D\tbefore.txt", "A\tdouble.js", "A\thalf.js", "M\tnotes.md", "D\told.txt"]
  assert.deepEqual(changed, expected)
  for (const [name, content] of Object.entries(FUNCTIONS)) {
    assert.equal(repository.git("show", `${branch}:${name}.js`), content)
  }
}
