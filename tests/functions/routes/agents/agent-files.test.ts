import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openTeam } from "../../agents/team.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const ask = async (path: string) => (await server.call("GET", path)).body

it("finds the files of an agent's worktree, also before it has one, and none that git ignores", async () => {
  const files = { ".gitignore": "*.log\n", "src/store.ts": "1\n", "src/café.ts": "1\n" }
  const team = await openTeam(server, join(dirname(server.folder), "files"), files)
  const all = { files: ["src/café.ts", "src/store.ts", ".gitignore"].toSorted(), total: 3 }
  const before = await ask(`${team.path}/agents/main/files`)
  expect({ ...before, files: before.files.toSorted() }).toEqual(all)

  await team.work("writer", { files: { "src/restored.ts": "1\n", "x.log": "1\n" } })
  expect(await ask(`${team.path}/agents/writer/files?q=store`)).toEqual({
    files: ["src/store.ts", "src/restored.ts"],
    total: 4,
  })
  expect(await ask(`${team.path}/agents/writer/files?q=store&limit=1`)).toMatchObject({ files: ["src/store.ts"] })
  expect(await ask(`${team.path}/agents/main/files?q=restored`)).toMatchObject({ files: [] })
  expect((await ask(`${team.path}/agents/nobody/files`)).error.code).toBe("agent_not_found")
  expect(server.reported).toEqual([])
})

it("finds a session's own files where no agent has worked yet, without a runner", async () => {
  const session = await openSession(server)
  await session.edit("notes/tea.md", "Green.\n")
  const before = (await session.events()).length
  expect(await ask(`/api/v1/sessions/${session.id}/agents/main/files?q=tea`)).toEqual({
    files: ["notes/tea.md"],
    total: 1,
  })
  expect(await session.events()).toHaveLength(before)
})
