import { createDemoProvider } from "@switchyard/demo-model"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startServer, type TestServer } from "../functions/server.ts"
import { switchyard } from "./spawn.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer({ scripted: createDemoProvider({ paceMs: 0, sleep: async () => {} }) })
})
afterAll(() => server.close())

const open = (args: string[] = [], stdin = "") => switchyard(["open", ...args], { url: server.url, stdin })

describe("switchyard open", () => {
  it("prints the studio's address, or chats, as its person prefers", async () => {
    const { code, stdout } = await open()
    expect([code, stdout]).toEqual([0, `${server.url}/\n`])
    expect(JSON.parse((await open(["--json"])).stdout)).toEqual({ url: `${server.url}/` })
    await server.call("PUT", "/api/v1/config/preferences", { json: { ui_mode: "cli" } })
    const chat = await open([], "What can you do?\n")
    expect([chat.code, chat.stdout]).toEqual([0, expect.stringMatching(/^.*\S/s)])
    expect(chat.stdout).not.toContain(server.url)
    expect(chat.stderr).toContain("tokens")
  })
})
