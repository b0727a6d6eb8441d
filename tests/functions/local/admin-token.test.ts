import { readFile, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { removeFolder } from "../../remove-folder.ts"
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

  it.each(["", "\n", "0123456789abcdef", "\0".repeat(41)])(
    "is made anew where its file has %j, which lets nobody in",
    async (left) => {
      const server = await startServer({ env: { AUTH_MODE: "token" } })
      const file = join(server.folder, "admin.token")
      await server.stop()
      await writeFile(file, left)
      const again = await startServer({ after: server, env: { AUTH_MODE: "token" } })
      try {
        expect((await me(again.url, left.trim().replaceAll("\0", ""))).status).toBe(401)
        const token = (await readFile(file, "utf8")).trim()
        expect(token).toMatch(/^[0-9a-f]{40}$/)
        expect((await me(again.url, token)).status).toBe(200)
        expect((await stat(file)).mode & 0o777).toBe(0o600)
      } finally {
        await again.close()
      }
    },
  )

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
  it("starts with no master key but a whole one, and says what to do", async () => {
    const server = await startServer()
    const file = join(server.folder, "master.key")
    await server.stop()
    try {
      for (const bytes of [0, 16, 33]) {
        await writeFile(file, Buffer.alloc(bytes))
        await using refused = await npmStart({ SWITCHYARD_DATA: server.folder })
        await refused.ended
        expect(refused.child.exitCode).toBe(1)
        expect(refused.output()).toContain(`${file} has ${bytes} bytes instead of 32`)
        expect(refused.output()).not.toContain("    at ")
        expect(await readFile(file)).toHaveLength(bytes)
      }
    } finally {
      await removeFolder(dirname(server.folder), { kill: false })
    }
  })

  it("on an address that others reach is refused without login, and says how to have one", async () => {
    await using server = await npmStart({ HOST: "0.0.0.0", AUTH_MODE: "open" })
    await server.ended
    expect(server.child.exitCode).toBe(1)
    expect(server.output()).toContain("AUTH_MODE=token")
  })

  it("listens there with login, and says where the first token is", async () => {
    await using server = await npmStart({ HOST: "0.0.0.0", AUTH_MODE: "token" })
    const [, port, file] = await server.printed(/listening on http:\/\/0\.0\.0\.0:(\d+)\nThe admin token is in (\S+)\n/)
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
