import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startServer, type TestServer } from "../functions/server.ts"
import { switchyard } from "./spawn.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

describe("switchyard search", () => {
  it("prints what was said in any session by its words, and where", async () => {
    const prompt = "A to-do list \u001b[31mof herons"
    const built = await switchyard(["run", prompt], { url: server.url })
    expect(built.code).toBe(0)
    const { code, stdout } = await switchyard(["search", "HERONS", "list"], { url: server.url })
    const [{ id, name }] = (await server.call("GET", "/api/v1/sessions")).body.sessions
    const [about = "", excerpt] = stdout.split("\n")
    expect([code, about.split("  ")]).toEqual([0, [id, expect.stringMatching(/^\d{4}-/), name]])
    expect(excerpt).toBe("  A to-do list of herons")
    const json = await switchyard(["search", "herons", "--json"], { url: server.url })
    expect(JSON.parse(json.stdout)).toMatchObject({ session_id: id, part: "prompt", by: "person" })
  })

  it("says that nothing was, and why it can't look for less than two letters", async () => {
    expect(await switchyard(["search", "storks"], { url: server.url })).toEqual({
      ...{ code: 0, stdout: "", stderr: "No messages contain these words.\n" },
    })
    const { code, stderr } = await switchyard(["search", "x"], { url: server.url })
    expect(code).toBe(2)
    expect(stderr).toContain("q")
  })
})
