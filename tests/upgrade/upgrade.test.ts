import { execFileSync } from "node:child_process"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createDemoProvider } from "@switchyard/demo-model"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { startModelServer } from "../fixtures/model-server/server.ts"
import { openSession } from "../functions/agents/worktree-session.ts"
import { startServer } from "../functions/server.ts"

/** Data that servers of earlier versions left, by version. `make-data.ts` made each with the code of its version. */
const archives = (await readdir(import.meta.dirname)).filter((name) => name.endsWith(".tgz"))

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "upgraded-"))
})
afterEach(() => rm(folder, { recursive: true }))

it("there is data of an earlier version", () => {
  expect(archives.length).toBeGreaterThan(0)
})

describe.each(archives)("the data %s", (archive) => {
  it("is opened, and what was under way ends", async () => {
    execFileSync("tar", ["--extract", "--gzip", "--file", join(import.meta.dirname, archive), "--directory", folder])
    const model = await startModelServer(() => ({ text: ["Hello."] }))
    const scripted = createDemoProvider({ paceMs: 0, sleep: async () => {} })
    const env = { SWITCHYARD_DATA: join(folder, "data"), GROQ_BASE_URL: model.url }
    const server = await startServer({ env, scripted })
    try {
      const { runs } = (await server.call("GET", "/v1/runs?limit=100")).body
      // The newest run is first: after a build, its chat, an agent's task and a team with its workers.
      const [open, ...others] = runs as { run_id: string; workspace_id: string; status: string }[]
      const [build, , task] = others.toReversed()
      expect(others.length).toBeGreaterThan(4)
      expect(others.map(({ status }) => status)).toEqual(others.map(() => "completed"))

      // The server was killed while this run wrote its files.
      expect(await server.ended(open?.run_id ?? "")).toMatchObject({ status: "completed", warning: null })
      const notes = await openSession(server, undefined, open?.workspace_id)
      expect(Object.keys(await notes.files())).toEqual(expect.arrayContaining(["README.md", "package.json"]))

      const built = await openSession(server, undefined, build?.workspace_id)
      expect((await built.files())["README.md"]).toMatch(/chores/i)
      const { versions } = (await server.call("GET", `/api/v1/sessions/${built.id}/versions`)).body
      expect(versions.length).toBeGreaterThan(1)

      const agents = await openSession(server, undefined, task?.workspace_id)
      expect((await agents.ask("GET", "/diff")).text).toContain("made.txt")
      const next = await agents.task({ files: { "next.txt": "Later.\n" } })
      expect(next).toMatchObject({ status: "completed" })
      expect((await agents.ask("GET", "/diff")).text).toMatch(/made\.txt.*next\.txt/s)

      const hello = { message: "Say hello.", model: "groq/llama-3.3-70b-versatile" }
      const turn = await server.call("POST", `/api/v1/sessions/${built.id}/chat`, { json: hello })
      expect(await server.ended(turn.body.run_id)).toMatchObject({ status: "completed" })
      expect(JSON.stringify(model.requests.map(({ headers }) => headers))).toContain("gsk_kept-across-versions")
      expect(server.reported).toEqual([])
    } finally {
      await server.close()
      await model.close()
    }
  })
})
