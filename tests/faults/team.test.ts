import { join } from "node:path"
import type { LogEvent } from "@switchyard/core/events"
import type { Message } from "@switchyard/core/models/provider"
import type { Run } from "@switchyard/core/work/runs/schema"
import { beforeAll, describe, expect, it } from "vitest"
import type { Turn } from "../fixtures/model-server/script.ts"
import { startModelServer } from "../fixtures/model-server/server.ts"
import type { ServerFaults } from "../fixtures/server-process.ts"
import { makeRepository } from "../functions/agents/repository.ts"
import { cases } from "../settings.ts"
import { type Frame, follow } from "./event-stream.ts"
import { call } from "./http.ts"
import { endsOf, expectSound, type Ledger, readLedger } from "./ledger.ts"
import { greeting, isOfProgram, NODES, nodeOfRequest, STAGES, teamTurn, WORDS } from "./nine-nodes.ts"
import { type ServerProcess, startServer, temporaryFolder } from "./processes.ts"
import { MODEL } from "./project.ts"
import { seeded, turns } from "./random.ts"
import { createSuccession } from "./succession.ts"

/**
 * An instant at which something is killed. At a write or in the middle of a model's answer: the server with its model
 * workers. At an event of the log: the runner with its programs, the server, or both.
 */
type Kill =
  | ({ at: "write" } & NonNullable<ServerFaults["dieAt"]>)
  | { at: "answer"; request: number; afterFrames: number }
  | { at: "event"; event: number; of: "runner" | "server" | "both"; turns: number }

const SESSION = "team"
const STORIES = cases({ usual: 1, deep: 20 })
const KILLS = 3

interface Life {
  run: Run
  ledger: Ledger
  heard: LogEvent[]
  deaths: { ledger: Ledger; requests: number }[]
  requests: { node: string | undefined }[]
  merged: string[]
  /** Nodes of the commits on the branch. */
  commits: string[]
  writes: number
  asked: number
}

let peaceful: Life
beforeAll(async () => {
  peaceful = await live([])
})

let killedAmid = 0

describe("a team of nine nodes, killed three times,", () => {
  it("ends with all nine, without a kill", () => {
    expectWhole(peaceful, "without a kill")
  })

  it.each(Array.from({ length: STORIES }, (_, seed) => seed))(
    "ends as one without: nothing is lost, doubled or done again (seed %i)",
    async (seed) => {
      const kills = killsOf(seed)
      const where = `seed ${seed}: ${JSON.stringify(kills)}`
      const life = await live(kills)
      expectWhole(life, where)
      for (const { ledger, requests } of life.deaths) {
        const then = ledger.events
        if (endsOf(then, life.run.run_id).length === 0) killedAmid++
        const done = completedIn(then)
        const again = life.requests.slice(requests).flatMap(({ node }) => node ?? [])
        expect(
          again.filter((node) => done.includes(node)),
          where,
        ).toEqual([])
        // The log still has everything that it had when the process died. The last process may have outlived the team's
        // end.
        const { events } = life.ledger
        expect(events.slice(0, then.length), where).toEqual(then.slice(0, events.length))
      }
    },
  )

  it("is nearly always killed in the middle", () => {
    expect(killedAmid).toBeGreaterThanOrEqual(STORIES)
  })
})

function expectWhole({ run, ledger, heard, merged, commits }: Life, where: string): void {
  const { events, files } = ledger
  expectSound(ledger, where)
  const told = heard.map(({ event_id }) => event_id)
  expect(told, where).toEqual(events.slice(0, heard.length).map(({ event_id }) => event_id))
  expect(endsOf(events, run.run_id), where).toMatchObject([{ type: "run_completed" }])
  expect(publishedIn(files), where).toEqual(publishedIn(peaceful.ledger.files))
  expect(Object.keys(publishedIn(files)).length, where).toBeGreaterThan(NODES.length)
  expect(merged, where).toEqual(peaceful.merged)

  // One commit per model's node, whatever died. Programs make their own commits.
  const ofModels = NODES.filter((node) => !isOfProgram(node)).map(({ id }) => id)
  expect(commits.toSorted(), where).toEqual(ofModels.toSorted())

  const ids = NODES.map(({ id }) => id)
  expect(completedIn(events).toSorted(), where).toEqual(ids)
  expect(
    events.filter(({ type }) => type === "work_node_failed"),
    where,
  ).toEqual([])
  for (const [at, event] of events.entries()) {
    if (event.type !== "work_node_completed") continue
    const begun = events.slice(at).filter((one) => one.type === "work_node_started" && one.node_id === event.node_id)
    expect(begun, `${where}: ${event.node_id}`).toEqual([])
  }
  const stages = events.flatMap((event) => (event.type === "stage_reconvened" ? event.stage : []))
  expect(stages.toSorted(), where).toEqual(STAGES.toSorted())
  expect(events.filter(({ type }) => type === "team_finished").length, where).toBe(1)
  expect(events.filter(({ type }) => type === "worker_spawned").length, where).toBe(4)

  const greetings = NODES.filter((node) => !isOfProgram(node)).map(({ id }) => greeting(id))
  const messages = [...greetings, ...WORDS.map(({ message }) => message)].toSorted()
  const sent = events.flatMap((event) => (event.type === "team_message_sent" ? String(event.content) : []))
  expect(sent.toSorted(), where).toEqual(messages)
  const said = toldTo("coordinator", events).join("\n")
  for (const message of messages) expect(said.split(message).length, `${where}: ${message}`).toBe(2)
  for (const id of ids) expect(said.split(`${id} is completed.`).length, `${where}: ${id}`).toBe(2)
}

function completedIn(events: LogEvent[]): string[] {
  return events.flatMap((event) => (event.type === "work_node_completed" ? event.node_id : []))
}

function publishedIn(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([path]) => !path.startsWith("memory/")))
}

/** Returns the messages that a member received in its conversation. */
function toldTo(agentId: string, events: LogEvent[]): string[] {
  const parts = events.flatMap((event) => {
    return event.type === "conversation_extended" && event.agent_id === agentId ? (event.messages as Message[]) : []
  })
  return parts.flatMap((message) => (message.role === "user" ? String(message.content) : []))
}

/**
 * Returns three instants, spread over a team's life. Some count from the start of a process. For a later process these
 * are halved, because less of the team's life is left.
 */
function killsOf(seed: number): Kill[] {
  const random = seeded(seed)
  const { writes, asked, ledger } = peaceful
  return Array.from({ length: KILLS }, (_, nth): Kill => {
    const place = (nth + random.next()) / KILLS
    const share = nth === 0 ? random.next() : random.next() / 2
    const kind = random.pick(["write", "write", "answer", "event", "event"] as const)
    if (kind === "write") {
      const write = 1 + Math.floor(share * writes)
      return { at: "write", write, when: random.pick(["before", "amid", "after"]) }
    }
    if (kind === "answer") {
      return { at: "answer", request: 1 + Math.floor(share * asked), afterFrames: random.between(0, 8) }
    }
    const of = random.pick(["runner", "runner", "server", "both"] as const)
    return { at: "event", event: Math.floor(place * ledger.events.length), of, turns: random.between(0, 30) }
  })
}

function post<T>(url: string, body: object, key: string) {
  const headers = { "content-type": "application/json", "idempotency-key": key }
  return call<T>(url, { method: "POST", headers, body: JSON.stringify(body) })
}

/** Sends a message. The key makes repeated requests count once. */
function say(url: string, { to, message }: (typeof WORDS)[number]) {
  return post(`${url}/api/v1/teams/${SESSION}/send`, { message, to }, message)
}

/** Plays a team. Kills a process at each of these instants in order, and starts killed servers again. */
async function live(kills: Kill[]): Promise<Life> {
  await using folder = await temporaryFolder()
  const repository = makeRepository(join(folder.path, "repository"))
  const succession = createSuccession()
  const left = [...kills]
  const deaths: Life["deaths"] = []
  const requests: Life["requests"] = []
  const heard: LogEvent[] = []
  let server: ServerProcess | undefined
  let asked = 0
  let over = false

  const models = await startModelServer((request): Turn => {
    requests.push({ node: nodeOfRequest(request) })
    asked++
    const turn = teamTurn(request)
    const [kill] = left
    if (kill?.at !== "answer" || asked !== kill.request) return turn
    void turns(kill.afterFrames).then(() => server?.kill("SIGKILL"))
    return { ...turn, fault: { kind: "hang", afterFrames: kill.afterFrames } }
  })

  async function serve(): Promise<void> {
    for (;;) {
      const [kill] = left
      asked = 0
      server = succession.succeed(startServer(folder.path, models.url, kill?.at === "write" ? { dieAt: kill } : {}))
      await server.ended
      deaths.push({ ledger: await readLedger(folder.path, SESSION), requests: requests.length })
      if (over) return
      if (left.shift() === undefined) throw new Error(`The last server ended by itself. ${server.output()}`)
    }
  }

  const words: Promise<unknown>[] = []
  const onFrame = ({ event: kind, data }: Frame) => {
    // The log doesn't contain terminal output.
    if (kind !== "event") return
    const event = data as LogEvent
    heard.push(event)
    const word = WORDS[words.length]
    if (word && completedIn(heard).length >= word.after) words.push(succession.ask((url) => say(url, word)))
    const [kill] = left
    // If the kill's event has already passed, kill at once.
    if (kill?.at === "event" && event.seq >= kill.event) void killAt(kill)
  }

  async function killAt(kill: Extract<Kill, { at: "event" }>): Promise<void> {
    const { of } = kill
    if (of === "runner") left.shift()
    await turns(kill.turns)
    if (of !== "server") killRunner()
    if (of !== "runner") server?.kill("SIGKILL")
  }

  function killRunner(): void {
    const claimed = heard.findLast((event) => event.type === "runner_claimed")
    const pid = claimed?.type === "runner_claimed" ? Number(/\d+/.exec(claimed.executor)?.[0] ?? 0) : 0
    try {
      if (pid > 0) process.kill(pid, "SIGKILL")
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
    }
  }

  async function use() {
    const json = {
      ...{ goal: "Nine files", model: MODEL, workspace_id: SESSION, coding_agents: ["mock"] },
      ...{ project_path: repository.folder, consent: true },
    }
    const { status, body } = await succession.ask((url) =>
      post<{ id: string; run_id: string }>(`${url}/api/v1/teams`, json, "once"),
    )
    expect(status).toBe(201)
    await follow({
      ...{ url: succession.url, path: `/api/v1/sessions/${SESSION}/stream?since_seq=0`, endless: true, onFrame },
      isLast: ({ event, data }) => {
        if (event !== "event") return false
        const { type, run_id } = data as LogEvent
        return run_id === body.run_id && ["run_completed", "run_failed", "run_cancelled"].includes(type)
      },
    })
    await Promise.all(words)
    const { body: run } = await succession.ask((url) => call<Run>(`${url}/v1/runs/${body.run_id}`))
    return { run, writes: kills.length === 0 ? ((await server?.writes()) ?? 0) : 0 }
  }

  const serving = serve()
  try {
    const told = await Promise.race([use(), serving.then(() => Promise.reject(new Error("Nobody serves any more.")))])
    const merged = repository.git("ls-tree", "-r", "main").trim().split("\n")
    const commits = repository.git("log", "--format=%(trailers:key=Node,valueonly)", "main").split("\n").filter(Boolean)
    return { ...told, ledger: await readLedger(folder.path, SESSION), heard, deaths, requests, merged, commits, asked }
  } finally {
    over = true
    server?.kill("SIGKILL")
    killRunner()
    await serving.catch(() => undefined)
    await models.close()
  }
}
