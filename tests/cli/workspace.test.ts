import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../depth.ts"
import { openSession } from "../functions/agents/worktree-session.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { switchyard } from "./spawn.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

describe("a workspace's files from a terminal", () => {
  it.each(["files", "download", "download --zip x.zip", "download --out x"])(
    "%s says that there is no such workspace, makes none, and ends with 1",
    async (command) => {
      const cwd = dirname(server.folder)
      const asked = [...command.split(" "), "--workspace", "unknown"]
      for (let again = 0; again < 2; again++) {
        const { code, stdout, stderr } = await switchyard(asked, { url: server.url, cwd })
        expect([code, stdout, stderr]).toEqual([1, "", `switchyard: The workspace "unknown" doesn't exist.\n`])
      }
      expect(readdirSync(cwd)).toEqual(["data"])
    },
  )

  it.each(["download", "download --zip x.zip", "download --out x"])(
    "%s of a workspace without files ends with 1, says so, and leaves nothing",
    async (command) => {
      const { id } = (await server.call("POST", "/api/v1/sessions")).body
      const cwd = dirname(server.folder)
      const { code, stderr } = await switchyard([...command.split(" "), "--workspace", id], { url: server.url, cwd })
      expect([code, stderr]).toEqual([1, `switchyard: There are no files in the workspace "${id}".\n`])
      expect(readdirSync(cwd)).toEqual(["data"])
      const listed = await switchyard(["files", "--workspace", id], { url: server.url })
      expect([listed.code, listed.stdout, listed.stderr]).toEqual([0, "", expect.stringContaining("no files")])
    },
  )

  it("are no others than those that were asked for", async () => {
    for (const command of ["files", "download"]) {
      expect((await switchyard([command, "unknown"], { url: server.url })).code).toBe(2)
    }
  })

  itDeep("are all in --out after an agent's run, however long it takes to save them", async () => {
    const { id, task, ask } = await openSession(server)
    expect(await task({ files: { "a.txt": "a\n" } })).toMatchObject({ status: "completed" })
    const { path } = (await ask("GET", "?fresh=true")).body
    mkdirSync(join(path, "many"))
    for (let index = 0; index < 2500; index++) writeFileSync(join(path, "many", `${index}.txt`), `${index}\n`)
    const out = join(dirname(server.folder), "out")
    const prompt = 'mock: {"files":{"b.txt":"b"}}'
    const args = ["run", prompt, "--agent", "mock", "--workspace", id, "--out", out]
    const { code, stdout } = await switchyard(args, { url: server.url })
    expect([code, stdout]).toEqual([0, expect.stringContaining("2,502 files in")])
    expect(readdirSync(join(out, "many"))).toHaveLength(2500)
    expect(existsSync(join(out, "b.txt"))).toBe(true)
  })
})
