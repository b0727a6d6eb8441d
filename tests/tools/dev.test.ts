import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { temporaryFolder } from "../faults/processes.ts"
import { freePort } from "../free-port.ts"

const DEV = fileURLToPath(new URL("../../tools/dev.ts", import.meta.url))

it("serves the API and the unbuilt studio at one address, and ends both with one signal", async () => {
  await using folder = await temporaryFolder()
  const [PORT, STUDIO_PORT] = (await Promise.all([freePort(), freePort()])).map(String)
  const env = {
    PATH: process.env.PATH,
    SWITCHYARD_DATA: folder.path,
    XDG_CONFIG_HOME: join(folder.path, "config"),
    PORT,
    STUDIO_PORT,
  }
  const dev = spawn(process.execPath, [DEV], { env, stdio: ["ignore", "pipe", "inherit"] })
  const ended = once(dev, "exit")
  const url = await new Promise<string>((resolve, reject) => {
    let said = ""
    dev.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text
      const found = /http:\S+(?=\n)/.exec(said)?.[0]
      if (found) resolve(found)
    })
    ended.then(() => reject(new Error(`It ended: ${said}`)))
  })
  expect(url).toBe(`http://127.0.0.1:${STUDIO_PORT}`)

  const api = `http://127.0.0.1:${PORT}`
  await expect.poll(() => status(`${url}/config.json`)).toBe(200)
  expect(await (await fetch(`${url}/s/one/run`)).text()).toContain("/@vite/client")
  const post = { method: "POST", headers: { origin: url } }
  expect((await fetch(`${url}/api/v1/sessions`, post)).status).toBe(201)

  dev.kill("SIGINT")
  await ended
  expect([await status(url), await status(api)]).toEqual([0, 0])
})

/** Resolves to the status, or to 0 without an answer. */
async function status(url: string): Promise<number> {
  return fetch(url).then(
    (answer) => answer.status,
    () => 0,
  )
}
