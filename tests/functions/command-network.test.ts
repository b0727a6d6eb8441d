import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { answerOf, isCoordinator } from "../core/work/teams/team-model.ts"
import { createScriptedProvider } from "../fixtures/scripted-model.ts"
import { needsSandbox } from "../runner/sandbox/confined.ts"
import { startServer } from "./server.ts"

const asked: string[] = []
const machine = createServer(({ url = "" }, response) => {
  asked.push(url)
  response.end("of the machine")
})
let port = 0
beforeAll(async () => {
  await new Promise<void>((resolve) => machine.listen(0, "127.0.0.1", resolve))
  port = (machine.address() as AddressInfo).port
})
afterAll(() => void machine.close())

/**
 * Returns a command that requests four addresses: this machine's server and a link-local address directly, this
 * machine's server and an unlisted host through the proxy. It prints the results in this order.
 */
const attempts = (url: string) => `cat > try.cjs <<'END'
const { request } = require("http")
const proxy = URL.parse(process.env.HTTP_PROXY ?? "")
const ended = (asked) => new Promise((resolve) => {
  asked.on("response", ({ statusCode }) => resolve(statusCode)).on("error", ({ code }) => resolve(code)).end()
})
const straight = (url) => ended(request(url, { agent: false }))
const proxied = (path) => proxy ? ended(request({ host: proxy.hostname, port: proxy.port, path })) : "no proxy"
Promise.all([straight("${url}/straight"), straight("http://169.254.169.254/"), proxied("${url}/proxied"), proxied("http://attacker.example/")])
  .then((all) => { console.log(all.join()); process.exit() })
END
node try.cjs; echo tried > tried.txt`

/** Runs the command as a team's only worker and resolves to its output. */
async function ran(command: string, about: { network?: boolean }): Promise<string> {
  // Runners inherit this variable from their server.
  vi.stubEnv("SWITCHYARD_AGENT_HOSTS", `localhost:${port}`)
  const model = createScriptedProvider(({ messages, tools }) => {
    if (!isCoordinator(tools)) throw new Error("No model works here.")
    const last = messages.at(-1)
    if (messages.length > 1 && last?.role !== "user") return answerOf([], messages.length)
    if (messages.length > 1) return answerOf([["finish", { summary: "Tried." }]], messages.length)
    return answerOf(
      [
        ["spawn_worker", { name: "Ada", role: "Tries", type: "maker" }],
        ["create_work_node", { node_id: "a", task: "Try" }],
        ["assign_worker", { node_id: "a", worker_id: "Ada" }],
      ],
      messages.length,
    )
  })
  const server = await startServer({ scripted: model })
  const json = { goal: "Try", consent: true, worker_commands: [{ name: "maker", command, ...about }] }
  const { body: team } = await server.call("POST", "/api/v1/teams", { json })
  await server.ended(team.run_id)
  const { body } = await server.call("GET", `/api/v1/sessions/${team.id}/events?limit=1000`)
  expect(server.reported).toEqual([])
  await server.close()
  return body.events.find(({ type }: { type: string }) => type === "shell_command_finished").output
}

describe("a worker's command in a sandbox", needsSandbox, () => {
  it("reaches nothing unless it was given the network", async () => {
    const url = `http://localhost:${port}`
    const output = await ran(attempts(url), {})
    expect(output.trim()).toBe("ECONNREFUSED,ENETUNREACH,no proxy,no proxy")
    expect(asked).toEqual([])
  })

  it("reaches with it the hosts that agents may, by their proxy alone, and says which others it asked for", async () => {
    const url = `http://localhost:${port}`
    const output = await ran(attempts(url), { network: true })
    expect(output.trim().split("\n")).toEqual([
      "ECONNREFUSED,ENETUNREACH,200,403",
      "Access to attacker.example was blocked, because it isn't listed in SWITCHYARD_AGENT_HOSTS.",
    ])
    expect(asked).toEqual(["/proxied"])
  })
})
