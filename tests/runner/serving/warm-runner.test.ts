import type { SessionSettings, WarmAnswer } from "@switchyard/core/agents/runner/warm-schema"
import { SETTINGS_NAME, warmKey, warmTicket } from "@switchyard/core/agents/runner/warm-ticket"
import { createSealer } from "@switchyard/core/storage/sealing"
import { awaitSession, WarmSettings } from "@switchyard/runner/serving/warm-runner"
import { expect, it } from "vitest"
import { never } from "../../settings.ts"

const MASTER = new Uint8Array(32).fill(1)
const ticket = warmTicket(MASTER, "one")
const env = {
  RUNNER_WARM: JSON.stringify(ticket),
  RUNNER_WARM_KEY: Buffer.from(warmKey(MASTER, "one")).toString("base64"),
}
const settings: SessionSettings = {
  ...{ RUNNER_SESSION: "ses_1", RUNNER_TICKET: "{}", RUNNER_KEY: "a2V5" },
  ...{ EXPOSE_VERBOSE_ERRORS: "false", ALLOWED_HOSTS: "git.example" },
}

function serve(id: string): WarmAnswer {
  const sealed = createSealer(warmKey(MASTER, id)).seal("one", SETTINGS_NAME, JSON.stringify(settings))
  return { warm: { now: "serve", sealed: Buffer.from(sealed).toString("base64") } }
}

/** Creates a runner that gets these answers in order, the last one repeatedly. Its clock advances as it waits. */
function runner(...answers: (WarmAnswer | Error)[]) {
  let elapsed = 0
  const asked: unknown[] = []
  const clock = {
    now: () => elapsed,
    monotonic: () => elapsed,
    async sleep(ms: number) {
      elapsed += ms
    },
  }
  const ask = async (request: unknown) => {
    asked.push(request)
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    if (answer instanceof Error) throw answer
    return answer
  }
  return {
    asked,
    elapsed: () => elapsed,
    wait: (signal = never) => awaitSession(WarmSettings.parse(env), { ask, executor: "ecs-t1", clock }, { signal }),
  }
}

const WAIT: WarmAnswer = { warm: { now: "wait" } }

it("waits until there is a session, whose settings nobody else can open", async () => {
  const one = runner(WAIT, WAIT, serve("one"))
  expect(await one.wait()).toEqual(settings)
  expect(one.asked).toEqual(Array.from({ length: 3 }, () => ({ warm: ticket, executor: "ecs-t1" })))
  await expect(runner(serve("other")).wait()).rejects.toThrow("can't be decrypted")
})

it("goes when it is told to, and when nobody answers any more", async () => {
  expect(await runner(WAIT, { warm: { now: "leave" } }).wait()).toBeUndefined()
  const failing = runner(WAIT, new Error("ResourceNotFoundException"))
  await expect(failing.wait()).rejects.toThrow("ResourceNotFoundException")
  expect(failing.elapsed()).toBeGreaterThan(4 * 60_000)
})

it("goes on where an answer is lost", async () => {
  expect(await runner(new Error("socket hang up"), WAIT, new Error("503"), serve("one")).wait()).toEqual(settings)
})

it("stops waiting when it is stopped", async () => {
  const stop = new AbortController()
  stop.abort(new Error("Stopped."))
  await expect(runner(WAIT).wait(stop.signal)).rejects.toThrow("Stopped.")
})
