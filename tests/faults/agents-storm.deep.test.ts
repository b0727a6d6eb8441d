import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openSession } from "../functions/agents/worktree-session.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { killRunner } from "./kill-runner.ts"
import { seeded } from "./random.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const AGENTS = Array.from({ length: 8 }, (_, index) => `agent-${index}`)
const QUESTIONS = 3
const CLIENTS = 3
const MISHAPS = 6
const SEEDS = 5
const ENDS = ["run_completed", "run_failed", "run_cancelled"]

type Random = ReturnType<typeof seeded>
type Told = { [field: string]: unknown }

describe("eight agents that ask at once, while clients race, turns are stopped and runners are killed", () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
    "end every question and every turn once, and hear every message once (seed %i)",
    async (seed) => {
      const random = seeded(seed)
      const session = await openSession(server)
      const path = `/api/v1/sessions/${session.id}`
      const ids = new Map<string, string>()
      for (const name of AGENTS) {
        const json = { name, coding_agent: "mock", mode: "ask" }
        const { status, body } = await server.call("POST", `${path}/agents`, { json })
        expect(status).toBe(201)
        ids.set(name, body.agent_id)
      }
      const over = new AbortController()
      const accepted = new Map<string, string>()
      const clients = Array.from({ length: CLIENTS }, () => answerAll(path, accepted, random, over.signal))
      const sent = await Promise.all(AGENTS.flatMap((name) => [0, 1].map((count) => say(path, name, count))))
      for (let mishap = 0; mishap < MISHAPS; mishap++) await goWrong(session, path, random)
      for (const name of AGENTS) while ((await wait(path, name)) === 202);
      over.abort()
      await Promise.all(clients)

      const events: Told[] = await session.events()
      const of = (...types: string[]) => events.filter(({ type }) => types.includes(String(type)))
      const asked = of("question_asked").map(({ question_id }) => question_id)
      const settled = of("question_answered", "question_withdrawn").map(({ question_id }) => question_id)
      expect(settled.toSorted()).toEqual(asked.toSorted())
      const counted = of("question_answered").map(({ question_id, answer }) => [
        question_id,
        (answer as { choice: string }).choice,
      ])
      expect(new Map(counted as [string, string][])).toEqual(accepted)
      const heard = of("agent_message_delivered").flatMap(({ agent_id, message_ids }) =>
        (message_ids as string[]).map((id) => `${agent_id} ${id}`),
      )
      expect(heard.toSorted()).toEqual(sent.map(({ name, id }) => `${ids.get(name)} ${id}`).toSorted())
      const runs = of("run_created").map(({ run_id }) => run_id)
      expect(
        of(...ENDS)
          .map(({ run_id }) => run_id)
          .toSorted(),
      ).toEqual(runs.toSorted())
      expect(server.reported).toEqual([])
      await server.call("DELETE", path)
    },
  )
})

async function say(path: string, name: string, count: number): Promise<{ name: string; id: string }> {
  const questions = Array.from({ length: QUESTIONS }, (_, index) => `tool ${index}`)
  const id = `message-${name}-${count}`
  const json = { content: `Do it. mock: ${JSON.stringify({ questions, files: {}, summary: false })}`, message_id: id }
  expect((await server.call("POST", `${path}/agents/${name}/messages`, { json })).status).toBe(202)
  return { name, id }
}

const wait = async (path: string, name: string) =>
  (await server.call("GET", `${path}/agents/${name}/wait?seconds=50`)).status

/** Waits for 1 to 30 more events, and then kills the runner or interrupts an agent twice. */
async function goWrong(session: Awaited<ReturnType<typeof openSession>>, path: string, random: Random): Promise<void> {
  const enough = (await session.events()).length + random.between(1, 30)
  const isIdle = async () =>
    (await server.call("GET", `${path}/agents`)).body.agents.every(({ status }: Told) => status === "idle")
  await expect
    .poll(async () => (await session.events()).length >= enough || (await isIdle()), { interval: 5 })
    .toBe(true)
  if (random.pick([true, false])) return killRunner(server, session.id)
  const stop = `${path}/agents/${random.pick(AGENTS)}/interrupt`
  const stopped = await Promise.all([0, 1].map(() => server.call("POST", stop, { json: {} })))
  expect(stopped.map(({ status }) => status)).toEqual([202, 202])
}

/** Answers all questions in the session, and records the accepted answers. */
async function answerAll(path: string, accepted: Map<string, string>, random: Random, over: AbortSignal) {
  while (!over.aborted) {
    const { questions } = (await server.call("GET", `${path}/questions?wait=1`)).body
    for (const { question_id } of questions) {
      const choice = random.pick(["allow", "deny"])
      const { status } = await server.call("POST", `${path}/questions/${question_id}/answer`, { json: { choice } })
      expect([200, 404, 409]).toContain(status)
      if (status !== 200) continue
      expect(accepted.has(question_id)).toBe(false)
      accepted.set(question_id, choice)
    }
  }
}
