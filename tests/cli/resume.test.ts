import { readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { modelFor, subjectOf } from "../core/work/workflow/model.ts"
import { textAnswer } from "../fixtures/scripted-model.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { switchyard } from "./spawn.ts"

let server: TestServer
let isLazy = true
beforeAll(async () => {
  const scripted = modelFor(["index.html", "README.md"], (request) =>
    isLazy && subjectOf(request) === "README.md" ? textAnswer("Done.") : undefined,
  )
  server = await startServer({ scripted })
})
afterAll(() => server.close())

it("goes on with a run that failed, whose files were delivered as far as they were there", async () => {
  const folder = dirname(server.folder)
  const failed = await switchyard(["run", "A page", "--out", join(folder, "first")], { url: server.url })
  expect(failed.code).toBe(1)
  expect(failed.stdout).toMatch(/1 of 2 files couldn't be written[\s\S]*Resume the run/)
  expect(failed.stdout).toContain("1 file in")
  expect(failed.stdout).toContain("files may be missing")
  expect(readdirSync(join(folder, "first"))).toEqual(["index.html"])

  isLazy = false
  const [run] = (await server.call("GET", "/v1/runs")).body.runs
  const out = join(folder, "second")
  const resumed = await switchyard(["resume", run.run_id, "--out", out], { url: server.url })
  expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining("2 files in")])
  expect(readdirSync(out)).toEqual(["README.md", "index.html"])

  const [newest] = (await server.call("GET", "/v1/runs")).body.runs
  const refused = await switchyard(["resume", newest.run_id], { url: server.url })
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("can't be resumed")])
})
