import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { mkdir, readdir, symlink } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { BuiltInCli } from "@switchyard/core/agents/clis/clis"
import { killRunner } from "../faults/kill-runner.ts"
import { seeded } from "../faults/random.ts"
import { openSession } from "../functions/agents/worktree-session.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { models, NOWHERE } from "./scenarios.ts"
import { type Script, startScriptedModel } from "./scripted-model.ts"

/** Programs of the storm, with two agents each. */
export const usedForStorm = ["claude", "codex", "gemini", "qwen"] as const satisfies BuiltInCli[]

const AGENTS = usedForStorm.flatMap((cli) => [1, 2].map((number) => ({ name: `${cli}-${number}`, cli })))
const KILLS = 20
const CLIENTS = 3
/** Events that show an agent's progress. */
const WORK = ["tool_call_started", "question_asked"]
const ENDS = ["run_completed", "run_failed", "run_cancelled"]

type Told = { [field: string]: unknown }
type Session = Awaited<ReturnType<typeof openSession>>

/**
 * Runs eight agents of four programs at once in one session. Each message asks for a file, and the agents ask for
 * permission. Three clients race to answer, and the runner is killed at twenty instants. Throws if a message was lost,
 * delivered twice or to another agent, or if a question wasn't answered exactly once.
 */
export async function playStorm(programs: string, seed: number): Promise<void> {
  // Agents inherit the server's environment.
  Object.assign(process.env, NOWHERE)
  const random = seeded(seed)
  await using opened = await openServer(programs)
  const { server } = opened
  const session = await openSession(server)
  const path = `/api/v1/sessions/${session.id}`
  const ids = new Map<string, string>()
  for (const { name, cli } of AGENTS) {
    const json = { name, coding_agent: `${cli}-storm`, mode: "ask" }
    ids.set(name, (await accepted(server, "POST", `${path}/agents`, json)).agent_id)
  }
  const sent: { name: string; id: string }[] = []
  async function say(name: string): Promise<void> {
    const id = `${name}-${sent.filter((one) => one.name === name).length}`
    sent.push({ name, id })
    await accepted(server, "POST", `${path}/agents/${name}/messages`, { content: `Make ${id}.made.`, message_id: id })
  }

  const over = new AbortController()
  const counted = new Map<string, string>()
  const clients = Array.from({ length: CLIENTS }, () => allowAll(server, path, counted, over.signal))
  await Promise.all(AGENTS.map(({ name }) => say(name)))
  for (let kill = 0; kill < KILLS; kill++) {
    await moreWork(server, session, path, random.between(0, 8))
    await killRunner(server, session.id)
    for (const { name } of [random.pick(AGENTS), random.pick(AGENTS)]) await say(name)
  }
  for (const { name } of AGENTS) while ((await waitFor(server, path, name)) === 202);
  over.abort()
  await Promise.all(clients)

  const events: Told[] = await session.events()
  const of = (...types: string[]) => events.filter(({ type }) => types.includes(String(type)))
  const heard = of("agent_message_delivered").flatMap(({ agent_id, message_ids }) =>
    (message_ids as string[]).map((id) => `${agent_id} ${id}`),
  )
  assert.deepEqual(heard.toSorted(), sent.map(({ name, id }) => `${ids.get(name)} ${id}`).toSorted())
  const asked = of("question_asked").map(({ question_id }) => question_id)
  const settled = of("question_answered", "question_withdrawn").map(({ question_id }) => question_id)
  assert.deepEqual(settled.toSorted(), asked.toSorted())
  const answered = of("question_answered").map(({ question_id, answer }) => [question_id, (answer as Told).choice])
  assert.deepEqual(new Map(answered as [string, string][]), counted)
  const runs = of("run_created").map(({ run_id }) => run_id)
  const ended = of(...ENDS).map(({ run_id }) => run_id)
  assert.deepEqual(ended.toSorted(), runs.toSorted())
  for (const { name } of AGENTS) {
    const { path: tree } = (await session.ask("GET", `?worktree=${name}`)).body
    const made = (await readdir(tree)).filter((file) => file.endsWith(".made"))
    const expected = sent.filter((one) => one.name === name).map(({ id }) => `${id}.made`)
    assert.deepEqual(made.toSorted(), expected.toSorted(), name)
  }
  assert.deepEqual(server.reported, [])
  const claims = of("runner_claimed").length
  assert.ok(claims > KILLS, `Only ${claims} runners were there for ${KILLS} kills.`)
  console.log(`${sent.length} messages, ${asked.length} questions, ${runs.length} turns and ${claims} runners.`)
}

/** Opens a server whose accounts each reach their own scripted model. */
async function openServer(programs: string) {
  const server = await startServer()
  await mkdir(server.folder, { recursive: true })
  await symlink(programs, join(server.folder, "programs"))
  const stack = new AsyncDisposableStack()
  stack.defer(() => server.close())
  for (const provider of usedForStorm) {
    const key = `sk-test-${randomBytes(24).toString("hex")}`
    const model = stack.use(await startScriptedModel(key, () => ""))
    model.script = scriptFor
    const reached = { api_key: key, base_url: model.url, model: models[provider] }
    await accepted(server, "POST", "/api/v1/accounts", { name: `${provider}-storm`, provider, ...reached })
  }
  return { server, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** Returns a script for all files that the conversation asks for. After a kill, these include files of another turn. */
function scriptFor(told: string): Script {
  const files = new Set([...told.matchAll(/Make ([a-z]+-\d-\d+\.made)/g)].map(([, file = ""]) => file))
  return [...files].map((file) => [{ run: `touch ${file}` }])
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the caller expects of it
async function accepted(server: TestServer, method: string, path: string, json: object): Promise<any> {
  const { status, text, body } = await server.call(method, path, { json })
  assert.ok(status < 300, text)
  return body
}

const waitFor = async (server: TestServer, path: string, name: string) =>
  (await server.call("GET", `${path}/agents/${name}/wait?seconds=50`)).status

/**
 * Resolves once every busy agent has made progress since the last kill and `more` further such events have come, or
 * once no agent is busy. A run that starts three times without progress is ended, as intended.
 */
async function moreWork(server: TestServer, session: Session, path: string, more: number): Promise<void> {
  for (let enough = Number.POSITIVE_INFINITY; ; await sleep(20)) {
    const { agents } = (await server.call("GET", `${path}/agents`)).body
    const busy: Told[] = agents.filter(({ status }: Told) => status !== "idle")
    if (busy.length === 0) return
    const events: Told[] = await session.events()
    const claimed = events.findLastIndex(({ type }) => type === "runner_claimed")
    const work = events.slice(claimed + 1).filter(({ type }) => WORK.includes(String(type)))
    if (work.length >= enough) return
    const isMoving = busy.every(({ agent_id }) => work.some((event) => event.agent_id === agent_id))
    if (isMoving) enough = Math.min(enough, work.length + more)
  }
}

/** Allows every request in the session, and records the accepted answers. */
async function allowAll(server: TestServer, path: string, counted: Map<string, string>, over: AbortSignal) {
  while (!over.aborted) {
    const { questions } = (await server.call("GET", `${path}/questions?wait=1`)).body
    for (const { question_id } of questions) {
      const json = { choice: "allow" }
      const { status, text } = await server.call("POST", `${path}/questions/${question_id}/answer`, { json })
      assert.ok([200, 404, 409].includes(status), text)
      if (status !== 200) continue
      assert.ok(!counted.has(question_id), `${question_id} was answered twice.`)
      counted.set(question_id, "allow")
    }
  }
}
