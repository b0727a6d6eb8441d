import { existsSync } from "node:fs"
import { chmod, mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { afterEach, describe, expect, it, vi } from "vitest"
import { readFrames } from "../functions/agents/frames.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { never, WAIT_MS } from "../settings.ts"

let server: TestServer
// Closing fails if a token is in any remaining file.
afterEach(async () => {
  vi.unstubAllEnvs()
  await server.close()
})

const tokenOf = (name: string) => `${name}-canary-77d03b5e91c24af6`
const filesOf = (name: string) => ({ "login.json": JSON.stringify({ refresh_token: tokenOf(name) }) })
const isRoot = process.getuid?.() === 0

/** Agents run as the server's user or as other users. Each has a home in each session. */
const users: [string, Record<string, string>][] = [
  ["its own user", {}],
  ...(isRoot ? [["other users", { SWITCHYARD_AGENT_USER: "nobody" }] as [string, Record<string, string>]] : []),
]

/** Folder for the files with which a test and its agent signal each other. A sandbox would hide the folder. */
const flags = () => join(dirname(server.folder), "flags")

async function start(env: Record<string, string>, after?: TestServer): Promise<void> {
  for (const [name, value] of Object.entries({ SWITCHYARD_AGENT_SANDBOX: "off", ...env })) vi.stubEnv(name, value)
  server = await startServer({ env: { AUTH_MODE: "open" }, ...(after && { after }) })
  await chmod(dirname(server.folder), 0o711)
  await mkdir(flags(), { recursive: true })
  await chmod(flags(), 0o777)
}

/**
 * Starts a task whose agent waits, renews its account's login while its runner is stopped, and then sleeps. Resolves
 * after the renewal, which the server doesn't know of.
 */
async function renewUnheard() {
  for (const name of ["first", "second"]) server.canaries.note({ api_key: tokenOf(name) })
  const account = { name: "plan", provider: "mock", login: { files: filesOf("first"), consent: true } }
  expect((await server.call("POST", "/api/v1/accounts", { json: account })).status).toBe(201)
  const { id } = (await server.call("POST", "/api/v1/sessions")).body
  const flag = (name: string) => join(flags(), name)
  const renew = 'sed -i s/first-canary/second-canary/ "$HOME/.mock/login.json"'
  const command = `touch '${flag("begun")}'; while [ ! -e '${flag("go")}' ]; do sleep 0.02; done; ${renew}; touch '${flag("renewed")}'; sleep 600`
  const knobs = { files: {}, commands: [command] }
  const json = { coding_agent: "plan", consent: true, task_description: `Try it. mock: ${JSON.stringify(knobs)}` }
  const task = await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json })
  expect(task.status, task.text).toBe(201)
  await poll(() => existsSync(flag("begun")))
  const runner = await pidOfRunner(id)
  process.kill(runner, "SIGSTOP")
  await writeFile(flag("go"), "")
  await poll(() => existsSync(flag("renewed")))
  expect(await homesWithLogins()).not.toEqual([])
  const run: string = task.body.task_id
  return {
    ...{ id, run },
    cancel: async () => expect((await server.call("POST", `/v1/runs/${run}/cancel`)).status).toBeLessThan(300),
    killRunner: () => process.kill(runner, "SIGKILL"),
  }
}

const poll = (isSo: () => boolean) => expect.poll(isSo, { timeout: WAIT_MS }).toBe(true)

async function pidOfRunner(id: string): Promise<number> {
  const { state } = await server.core().sessions.find("local", id, { signal: never })
  return Number(/\d+/.exec(state.runner.executor ?? "")?.[0])
}

async function homesWithLogins(): Promise<string[]> {
  return [...(await server.kept()).keys()].filter((file) => file.endsWith("login.json"))
}

/** Expects that no home has the login any more, and that the account has the version that its agent renewed last. */
async function expectGivenBack(): Promise<void> {
  await expect.poll(homesWithLogins, { timeout: WAIT_MS }).toEqual([])
  const { id } = (await server.call("POST", "/api/v1/sessions")).body
  const knobs = { files: {}, commands: ['grep -c second-canary "$HOME/.mock/login.json" > seen.txt'] }
  const json = { coding_agent: "plan", consent: true, task_description: `Look. mock: ${JSON.stringify(knobs)}` }
  const task = await server.call("POST", `/api/v1/sessions/${id}/tasks`, { json })
  expect(await server.ended(task.body.task_id)).toMatchObject({ status: "completed" })
  const seen = await server.call("GET", `/workspace/file?path=seen.txt&workspace_id=${id}`)
  expect(seen.body.content).toBe("1\n")
  // The task waited for no other run.
  const parked = await server.call("GET", `/api/v1/sessions/${id}/events?event_types=run_parked`)
  expect(parked.body.events).toEqual([])
  expect(await homesWithLogins()).toEqual([])
}

describe.each(users)("the login with which an agent works as %s", (_, env) => {
  it("is taken out of its home, as it was renewed, when its runner is killed and the run is cancelled", async () => {
    await start(env)
    const { run, cancel, killRunner } = await renewUnheard()
    await cancel()
    killRunner()
    expect(await server.ended(run)).toMatchObject({ status: "cancelled" })
    await expectGivenBack()
  })

  it("is so, too, when the server goes with it, and the run has been cancelled before the next one starts", async () => {
    await start(env)
    const { cancel, killRunner } = await renewUnheard()
    await cancel()
    const stopped = server.stop()
    killRunner()
    await stopped
    await start(env, server)
    await expectGivenBack()
  })

  it("is so, too, when the session is deleted at that moment", async () => {
    await start(env)
    const { id, killRunner } = await renewUnheard()
    expect((await server.call("DELETE", `/api/v1/sessions/${id}`)).status).toBe(204)
    killRunner()
    await expectGivenBack()
  })

  it("stays with the run, where that isn't cancelled", async () => {
    await start(env)
    const { id, run, cancel, killRunner } = await renewUnheard()
    killRunner()
    let turns = 0
    for await (const { data } of readFrames(server, `/api/v1/sessions/${id}/stream?include_terminal=false`)) {
      if (data.type === "agent_turn_started" && ++turns === 2) break
    }
    await cancel()
    expect(await server.ended(run)).toMatchObject({ status: "cancelled" })
    await expectGivenBack()
  })
})
