import type { Message } from "@switchyard/core/models/provider"
import { afterEach, describe, expect, it } from "vitest"
import { answerOf, isCoordinator } from "../core/work/teams/team-model.ts"
import { createScriptedProvider } from "../fixtures/scripted-model.ts"
import { startServer, type TestServer } from "./server.ts"

type Call = [name: string, args: Record<string, unknown>]

let server: TestServer | undefined
afterEach(() => server?.close())

const bash = (command: string, more: object = {}): Call => ["bash", { command, ...more }]
const write = (path: string, content: string): Call => ["write_file", { path, content }]
const publish: Call = ["publish", { summary: "It is there." }]

/** Creates a model for a team with one worker at one node. The worker makes these calls in order. */
function modelThatCalls(calls: Call[]) {
  const coordinate = ({ at = 0, last }: { at?: number; last: Message | undefined }): Call[] => {
    const text = String(last?.content)
    if (last?.role === "user" && /a (?:is completed|failed)\./.test(text)) return [["finish", { summary: "Done." }]]
    if (at > 1) return []
    return [
      ["create_work_node", { node_id: "a", task: "Make it" }],
      ["spawn_worker", { name: "Ada", role: "Makes" }],
      ["assign_worker", { node_id: "a", worker_id: "Ada" }],
    ]
  }
  return createScriptedProvider(({ messages, tools }) => {
    if (isCoordinator(tools))
      return answerOf(coordinate({ at: messages.length, last: messages.at(-1) }), messages.length)
    const next = calls[messages.filter(({ role }) => role === "assistant").length]
    return answerOf(next ? [next] : [publish], messages.length)
  })
}

async function startTeam(calls: Call[], request: object = { consent: true }) {
  const model = modelThatCalls(calls)
  server = await startServer({ scripted: model })
  const { status, body: team } = await server.call("POST", "/api/v1/teams", { json: { goal: "Make it", ...request } })
  expect(status).toBe(201)
  /** Returns the tool results that the worker received. */
  const results = () => {
    const last = model.requests.findLast(({ tools }) => !isCoordinator(tools))
    const shown = last?.messages.filter(({ role }) => role === "tool") ?? []
    return shown.map(({ content }) => String(content))
  }
  return { server, team, results }
}

async function filesOf(server: TestServer, team: { id: string }): Promise<Record<string, string>> {
  const { body } = await server.call("GET", `/workspace/files?workspace_id=${team.id}`)
  return body.files
}

describe("a worker that is a model", () => {
  it("runs commands on its files, and publishes what they write", async () => {
    const { server, team, results } = await startTeam([
      write("in.txt", "3\n1\n2\n"),
      bash("sort in.txt > out.txt && mkdir sub node_modules && echo x > node_modules/x && echo deep > sub/deep.txt"),
      bash("cat out.txt sub/deep.txt; rm in.txt; ls node_modules; exit 3"),
      ["read_file", { path: "out.txt" }],
      write("late.txt", "late\n"),
      bash("cat late.txt; chmod +x late.txt"),
    ])
    expect((await server.ended(team.run_id)).status).toBe("completed")
    const [, sorted = "", shown = "", read, , last = ""] = results()
    expect(sorted).toBe("Exit code 0.\n\nIt wrote out.txt, sub/deep.txt.")
    expect(shown).toContain("Exit code 3.\n\n1\n2\n3\ndeep\n")
    expect(shown).toContain("It deleted in.txt.")
    expect(read).toBe("1\n2\n3\n")
    expect(last).toContain("Exit code 0.\n\nlate")
    const { body: node } = await server.call("GET", `/api/v1/teams/${team.id}/board/a`)
    expect(node).toMatchObject({
      commands: [
        { command: expect.stringMatching(/^sort in\.txt/), ending: "exited", exit_code: 0 },
        { command: expect.stringMatching(/^cat out\.txt/), ending: "exited", exit_code: 3 },
        { command: "cat late.txt; chmod +x late.txt", ending: "exited", exit_code: 0 },
      ],
      check_results: [],
    })
    expect(Object.keys(await filesOf(server, team)).sort()).toEqual([
      ...["late.txt", "nodes/a/published/late.txt", "nodes/a/published/out.txt", "nodes/a/published/sub/deep.txt"],
      ...["out.txt", "sub/deep.txt"],
    ])
    expect(server.reported).toEqual([])
  })

  it("has them stopped when they take too long, and their output cut", async () => {
    const { server, team, results } = await startTeam([
      bash("echo begun > begun.txt; sleep 600", { timeout_seconds: 1 }),
      bash("test -e begun.txt || echo nothing kept; head -c 200000 /dev/zero | tr '\\0' x; echo end"),
    ])
    expect((await server.ended(team.run_id)).status).toBe("completed")
    const [late = "", long = ""] = results()
    const { body: node } = await server.call("GET", `/api/v1/teams/${team.id}/board/a`)
    expect(node.commands).toMatchObject([{ ending: "timed_out" }, { ending: "exited", exit_code: 0 }])
    expect(late).toContain("ERROR: The command was stopped because it timed out.")
    expect(long).toContain("nothing kept")
    expect(long).toMatch(/characters left out\. Write it to a file/)
    expect(long.length).toBeLessThan(25_000)
  })

  it("asks before each command, unless it is allowed beforehand", async () => {
    const calls = [bash("echo first"), bash("echo second"), bash("echo second"), bash("echo second two")]
    const { server, team, results } = await startTeam(calls, { consent: true, permission_mode: "ask" })
    const waiting = async () => (await server.call("GET", "/api/v1/questions")).body.questions
    const answer = async (command: string, json: object) => {
      await expect
        .poll(async () => (await waiting()).map((one: { question: object }) => one.question))
        .toMatchObject([{ kind: "permission", tool: "bash", command }])
      const [{ session_id, question_id }] = await waiting()
      const path = `/api/v1/sessions/${session_id}/questions/${question_id}/answer`
      expect((await server.call("POST", path, { json })).status).toBe(200)
    }
    await answer("echo first", { choice: "deny", text: "Not now." })
    await answer("echo second", { choice: "allow_session" })
    // The previous answer allows only the exact command.
    await answer("echo second two", { choice: "deny" })
    expect((await server.ended(team.run_id)).status).toBe("completed")
    const [first, second, third, last] = results()
    expect(first).toBe("ERROR: Not now.")
    expect(second).toContain("second")
    expect(third).toContain("second")
    expect(last).toBe("ERROR: A person denied this.")
  })

  it("has no such tool where nothing may be run", async () => {
    const { server, team, results } = await startTeam([bash("echo x")], {})
    expect((await server.ended(team.run_id)).status).toBe("completed")
    expect(results()[0]).toContain("There is no tool bash")
  })
})
