import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { startServer } from "../server.ts"
import { npmStart } from "./npm-start.ts"

const me = (url: string, token: string) => fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${token}` } })

describe("the admin token of a machine", () => {
  it("is made where none is configured, for its owner's eyes only, and is still the same later", async () => {
    const server = await startServer({ env: { AUTH_MODE: "token" } })
    try {
      const file = join(server.folder, "admin.token")
      expect((await stat(file)).mode & 0o777).toBe(0o600)
      const token = (await readFile(file, "utf8")).trim()
      expect(token).toMatch(/^[0-9a-f]{40}$/)
      expect(await (await me(server.url, token)).json()).toMatchObject({ owner: "admin", auth_mode: "token" })
      const again = await startServer({ env: { AUTH_MODE: "token", SWITCHYARD_DATA: server.folder } })
      expect((await me(again.url, token)).status).toBe(200)
      await again.close()
    } finally {
      await server.close()
    }
  })

  it("is the configured one, if there is one, and then there is no file", async () => {
    const ADMIN_TOKEN = "the-token-of-whoever-installed-it-all"
    const server = await startServer({ env: { AUTH_MODE: "token", ADMIN_TOKEN } })
    try {
      expect((await me(server.url, ADMIN_TOKEN)).status).toBe(200)
      expect([...(await server.kept()).keys()].filter((file) => file.endsWith("admin.token"))).toEqual([])
    } finally {
      await server.close()
    }
  })
})

describe("npm start", () => {
  it("on an address that others reach is refused without log-in, and says how to have one", async () => {
    await using server = await npmStart({ HOST: "0.0.0.0", AUTH_MODE: "open" })
    await server.ended
    expect(server.child.exitCode).toBe(1)
    expect(server.output()).toContain("AUTH_MODE=token")
  })

  it("listens there with log-in, and says where the first token is", async () => {
    await using server = await npmStart({ HOST: "0.0.0.0", AUTH_MODE: "token" })
    const [, port, file] = await server.printed(/listening on http:\/\/0\.0\.0\.0:(\d+)\nIts admin token is in (\S+)\n/)
    const url = `http://127.0.0.1:${port}`
    expect((await me(url, (await readFile(file ?? "", "utf8")).trim())).status).toBe(200)
    expect((await me(url, "")).status).toBe(401)
  })
})

describe("npm start in production", () => {
  it("warns of origins that aren't configured", async () => {
    await using server = await npmStart({ APP_ENV: "production" })
    await server.printed(/CORS is not configured/)
  })
})
