import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openSession } from "../functions/agents/worktree-session.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { cases } from "../settings.ts"
import { seeded } from "./random.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const QUESTIONS = 8
const CLIENTS = 3

interface Answered {
  question: string
  choice: string
  status: number
}

describe("questions of several sessions that clients race to answer", () => {
  const sessions = cases({ usual: 2, deep: 5 })

  it(`are each answered once, as the one client was told whose answer counted (${sessions} sessions)`, async () => {
    const random = seeded(7)
    const tasks = await Promise.all(Array.from({ length: sessions }, ask))
    const answers: Answered[] = []
    const over = new AbortController()
    const clients = Array.from({ length: CLIENTS }, () => answerAll(answers, over.signal, random))
    const ended = await Promise.all(tasks.map(({ task }) => server.ended(task)))
    over.abort()
    await Promise.all(clients)

    expect(ended.map(({ status }) => status)).toEqual(tasks.map(() => "completed"))
    const accepted = answers.filter(({ status }) => status === 200)
    expect(accepted).toHaveLength(sessions * QUESTIONS)
    expect(new Set(accepted.map(({ question }) => question)).size).toBe(accepted.length)
    // No answer is reported as accepted if a different one was.
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
    const told = new Map(accepted.map(({ question, choice }) => [question, choice]))
    for (const { session } of tasks) {
      const events = await session.events()
      const asked = events.filter(({ type }) => type === "question_asked").map(({ question_id }) => question_id)
      const counted = events.filter(({ type }) => type === "question_answered")
      expect(counted.map(({ question_id }) => question_id)).toEqual(asked)
      expect(asked).toHaveLength(QUESTIONS)
      for (const { question_id, answer } of counted) {
        expect((answer as { choice: string }).choice).toBe(told.get(question_id as string))
      }
    }
    expect(server.reported).toEqual([])
  })
})

async function ask() {
  const session = await openSession(server)
  const questions = Array.from({ length: QUESTIONS }, (_, index) => `tool ${index}`)
  const task_description = `Do it. mock: ${JSON.stringify({ questions, files: {} })}`
  const json = { coding_agent: "mock", task_description, mode: "ask" }
  const { body } = await server.call("POST", `/api/v1/sessions/${session.id}/tasks`, { json })
  return { session, task: body.task_id as string }
}

/** Answers all questions in all sessions until `over`. */
async function answerAll(answers: Answered[], over: AbortSignal, random: ReturnType<typeof seeded>): Promise<void> {
  while (!over.aborted) {
    const { questions } = (await server.call("GET", "/api/v1/questions?wait=1")).body
    await Promise.all(
      questions.map(async (waiting: { session_id: string; question_id: string }) => {
        const path = `/api/v1/sessions/${waiting.session_id}/questions/${waiting.question_id}/answer`
        const answer = async (choice: string) => {
          const { status } = await server.call("POST", path, { json: { choice } })
          answers.push({ question: waiting.question_id, choice, status })
        }
        // Answer twice, so that one answer is too late even if no other client answers.
        await Promise.all([answer(random.pick(["allow", "deny"])), answer(random.pick(["allow", "deny"]))])
      }),
    )
  }
}
