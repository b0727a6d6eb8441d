import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../../../depth.ts"
import { openTeam } from "../../agents/team.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const open = (name: string) => openTeam(server, join(dirname(server.folder), name), { "shared.txt": "one\n" })
type Team = Awaited<ReturnType<typeof open>>

async function question({ path }: Team) {
  const { questions } = (await server.call("GET", `${path}/questions?wait=20`)).body
  expect(questions).toHaveLength(1)
  return questions[0]
}

async function answer(team: Team, json: object): Promise<void> {
  const { question_id } = await question(team)
  const { status } = await server.call("POST", `${team.path}/questions/${question_id}/answer`, { json })
  expect(status).toBe(200)
}

describe("an agent that asks people by its tools", () => {
  it("gets the answer in words, or the option that was chosen, and learns that it is left to it", async () => {
    const team = await open("asks")
    const asking = (args: object) => ({ say: "", tools: [{ name: "ask_person", args }] })
    await team.tell("api", asking({ question: "Which port?" }))
    expect(await question(team)).toMatchObject({ question: { kind: "text", text: "Which port?" } })
    await answer(team, { choice: "allow", text: "8080" })
    expect(await team.untilIdle("api")).toBe("ask_person: 8080")
    await team.tell("api", asking({ question: "Which one?", options: ["A", "B"] }))
    await answer(team, { choice: "allow", answers: { "Which one?": "B" } })
    expect(await team.untilIdle("api")).toBe("ask_person: Which one? B")
    await team.tell("api", asking({ question: "Why?" }))
    await answer(team, { choice: "deny" })
    expect(await team.untilIdle("api")).toContain("Decide yourself")
    expect(server.reported).toEqual([])
  })
})

describe("an agent that merges its own worktree", () => {
  const finish = { say: "", tools: [{ name: "finish_worktree", args: {} }] }

  itDeep("does so in bypass, goes on in it, and is told of conflicts as text", async () => {
    const team = await open("finishes")
    await team.work("api", { files: { "shared.txt": "api\n" } })
    await team.work("docs", { files: { "shared.txt": "docs\n" } })
    expect(await team.work("api", finish)).toContain('"status":"merged"')
    expect(team.repository.git("show", "main:shared.txt")).toBe("api\n")
    const told = await team.work("docs", finish)
    expect(told).toContain("Nothing was merged")
    expect(told).toContain("- shared.txt")
    expect((await team.session.ask("GET", "?worktree=docs&fresh=true")).body).toMatchObject({
      exists: true,
      merge: null,
    })
    await team.work("docs", {
      commands: ["git -c user.name=A -c user.email=a@b.c merge --quiet -X ours --no-edit main"],
    })
    expect(await team.work("docs", finish)).toContain('"status":"merged"')
    expect(team.repository.git("show", "main:shared.txt")).toBe("docs\n")
    expect(server.reported).toEqual([])
  })

  it("asks a person in a mode that asks, and may not while it plans", async () => {
    const team = await open("permits")
    await team.work("api", { files: { "api.txt": "api\n" } })
    const setMode = (mode: string) => server.call("PATCH", `${team.path}/agents/api`, { json: { mode } })
    await setMode("plan")
    expect(await team.work("api", finish)).toContain("plan mode")
    await setMode("ask")
    await team.tell("api", finish)
    expect(await question(team)).toMatchObject({ question: { kind: "permission", name: "finish_worktree" } })
    await answer(team, { choice: "deny", text: "Test it first." })
    expect(await team.untilIdle("api")).toContain("Test it first. Nothing was merged.")
    await team.tell("api", finish)
    await answer(team, { choice: "allow" })
    expect(await team.untilIdle("api")).toContain('"status":"merged"')
    expect(team.repository.git("show", "main:api.txt")).toBe("api\n")
    expect(server.reported).toEqual([])
  })
})
