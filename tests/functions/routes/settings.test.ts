import { defaultPreferences } from "@switchyard/core/people/settings/default-preferences"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startServer, type TestServer } from "../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const path = "/api/v1/config/preferences"
const put = (json: unknown) => server.call("PUT", path, { json })

describe("preferences over HTTP", () => {
  it("are told, changed one by one, and told so from then on", async () => {
    expect((await server.call("GET", path)).body).toEqual({ ...defaultPreferences, version: 0 })
    expect((await put({ theme: "dark" })).body).toEqual({ ...defaultPreferences, theme: "dark", version: 1 })
    expect((await put({ density: "compact", version: 1 })).body).toMatchObject({ theme: "dark", version: 2 })
    expect((await server.call("GET", path)).body).toMatchObject({ theme: "dark", density: "compact" })
  })

  it.each([{ theme: "sepia" }, { unknown: 1 }, { terminal_font_px: 4 }, { version: -1 }, [], "dark", null])(
    "are not changed by %j",
    async (change) => {
      const before = (await server.call("GET", path)).body
      expect((await put(change)).status).toBe(422)
      expect((await server.call("GET", path)).body).toEqual(before)
    },
  )

  it("are not changed over somebody else's change", async () => {
    expect(await put({ theme: "light", version: 0 })).toMatchObject({
      status: 409,
      body: { error: { code: "storage_conflict" } },
    })
  })
})
