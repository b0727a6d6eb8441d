import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { createLaunchMailbox } from "@switchyard/core/agents/runner/launch-mailbox"
import { systemClock } from "@switchyard/core/time"
import { launchesIn, openCloudHost, ownTask } from "@switchyard/runner/serving/cloud-host"
import { expect, it } from "vitest"
import { openStores } from "../../fixtures/stores.ts"
import { never } from "../../settings.ts"

/** Starts a server for the requests of a task to ECS. */
async function metadata(answer: (respond: (text: string) => void, request: IncomingMessage) => void) {
  const server = createServer((request, response) => answer((text) => void response.end(text), request))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v4`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

it("is named after its task, as ECS says", async () => {
  await using ecs = await metadata((respond) => respond('{"TaskARN":"arn:aws:ecs:eu:1:task/c/t1"}'))
  expect(await ownTask(ecs.url, { signal: never })).toBe("t1")
})

const environment = (metadataUrl: string) => ({
  ...{ TABLE: "table", BUCKET: "bucket", RUNNER_SESSION: "ses_0123456789", RUNNER_KEY: btoa("k".repeat(32)) },
  RUNNER_TICKET: JSON.stringify({ sid: "ses_0123456789", generation: 1, attempt: 1, secret: "x" }),
  CREDENTIALS: "credentials",
  VERSION: "0.0.0",
  LOGINS: "logins",
  ECS_CONTAINER_METADATA_URI_V4: metadataUrl,
})

it("serves the session of its environment, which must be whole", async () => {
  await using ecs = await metadata((respond) => respond('{"TaskARN":"arn:aws:ecs:eu:1:task/c/t1"}'))
  const env = environment(ecs.url)
  const host = await openCloudHost(env, systemClock, { signal: never })
  expect(host).toMatchObject({ sid: "ses_0123456789", executor: "ecs-t1", local: false, idleMs: 300_000 })
  host.close()
  for (const name of Object.keys(env)) {
    await expect(openCloudHost({ ...env, [name]: undefined }, systemClock, { signal: never })).rejects.toThrow(name)
  }
})

it("does without archives if ECS doesn't report the image", async () => {
  await using ecs = await metadata((respond, { url, socket }) =>
    url?.endsWith("/task") ? respond('{"TaskARN":"arn:aws:ecs:eu:1:task/c/t1"}') : socket.destroy(),
  )
  const host = await openCloudHost(environment(ecs.url), systemClock, { signal: never })
  expect(host).toMatchObject({ executor: "ecs-t1", archives: undefined })
  host.close()
})

it("gives up with the reason where ECS never answers", async () => {
  await using ecs = await metadata(() => {})
  await expect(ownTask(ecs.url, { signal: never, withinMs: 20 })).rejects.toThrow(
    /didn't return this task's metadata within 20 ms/,
  )
})

it("stops asking when it is stopped", async () => {
  const stop = new AbortController()
  await using ecs = await metadata(() => stop.abort(new Error("Stopped.")))
  await expect(ownTask(ecs.url, { signal: stop.signal })).rejects.toThrow("Stopped.")
})

it("leaves for others when it is asked to itself, not where an older runner was, and takes what it is given meanwhile", async () => {
  const stores = await openStores()
  const notes = createLaunchMailbox({ ...stores, now: Date.now }, { sid: "one", key: new Uint8Array(32) })
  const run = (run_id: string) => ({
    ...{ type: "run" as const, run_id, expected_generation: 0 },
    account: { api_key: null, base_url: null, home: "h" },
  })
  const stop = new AbortController()
  const yielding = new AbortController()
  const told: boolean[] = []
  const steps = [
    () => notes.put({ type: "yield", executor: "ecs-old" }, { signal: never }),
    () => notes.put({ type: "yield", executor: "ecs-t1" }, { signal: never }),
    () => notes.put(run("run_2"), { signal: never }),
    async () => stop.abort(),
  ]
  const sleep = async () => {
    told.push(yielding.signal.aborted)
    await steps.shift()?.()
  }
  await notes.put(run("run_1"), { signal: never })
  const clock = { ...systemClock, sleep }
  const launched = await Array.fromAsync(
    launchesIn(notes, clock, { executor: "ecs-t1", yielding, signal: stop.signal }),
    ({ run_id }) => run_id,
  )
  expect(launched).toEqual(["run_1", "run_2"])
  expect(told).toEqual([false, false, true, true])
  stores.close()
})
