import type { IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { bootEnvironment, type Environment, type Invocation, type LambdaFunction, type Outcome } from "./environment.ts"
import { listen } from "./listen.ts"

export type Lambda = Awaited<ReturnType<typeof startLambda>>

/** The worker's event: a run, or an archive. */
export interface Launch {
  run_id?: string
  sid: string
}

/** Fate of an invocation whose caller doesn't wait. */
export interface Fate {
  /** Delay of each delivery in milliseconds: `[]` is lost, `[0, 0]` comes twice. */
  deliveries?: number[]
  timeoutMs?: number
  /** Factor by which the deadline comes faster. */
  hurry?: number
}

/** An invocation that Lambda would bill. */
export interface Bill {
  name: string
  /** Path of an HTTP request. Concurrent scenarios find their own invocations by it. */
  path: string | undefined
  ms: number
}

/**
 * Starts Lambda: environments that boot on demand and are reused, and its API for invocations whose caller doesn't
 * wait. `fates` lists the fates of a session's next launches. After these, launches succeed.
 */
export async function startLambda(functions: Record<string, LambdaFunction>, log: (text: string) => void) {
  const environments = new Map<string, Environment[]>()
  const fates = new Map<string, Fate[]>()
  const launches: Launch[] = []
  const bills: Bill[] = []
  const flying = new Set<Promise<unknown>>()
  const timers = new Set<NodeJS.Timeout>()
  /** Settings of each function's versions, from the first, and the number of the live one. */
  const published = new Map<string, Record<string, string>[]>()
  const live = new Map<string, number>()

  /** Points the alias to another version. Later calls boot new environments, and current calls end in theirs. */
  function makeLive(name: string, number: number): void {
    const fn = functions[name]
    const env = published.get(name)?.[number - 1]
    if (!fn || !env) throw new Error(`There is no version ${number} of ${name}.`)
    live.set(name, number)
    functions[name] = { ...fn, env }
    const pool = environments.get(name) ?? []
    environments.delete(name)
    environments.set(`${name}, retired ${environments.size}`, pool)
  }

  /** Answers a rollback's requests to the API: a function's versions, and its alias. */
  function answerRollback(name: string, what: string, asked: { FunctionVersion?: string }): object | undefined {
    if (what === "versions") {
      const versions = (published.get(name) ?? []).map((Variables, index) => ({
        ...{ FunctionName: name, Version: String(index + 1), Environment: { Variables } },
      }))
      return { Versions: versions }
    }
    if (what !== "aliases/live") return undefined
    if (asked.FunctionVersion !== undefined) makeLive(name, Number(asked.FunctionVersion))
    return { Name: "live", FunctionVersion: String(live.get(name)) }
  }

  async function invoke(
    name: string,
    event: unknown,
    stream?: (body: IncomingMessage) => Promise<void>,
    timeoutMs = timeoutOf(functions[name], event),
  ): Promise<Outcome> {
    const pool = environments.get(name) ?? []
    environments.set(name, pool)
    const invocation = { event, stream, timeoutMs }
    // Nothing may run between finding an idle environment and invoking it.
    const idle = pool.find(({ isIdle }) => isIdle())
    if (idle) return invokeIn(idle, name, invocation)
    const fn = functions[name]
    if (!fn) throw new Error(`There is no function ${name}.`)
    const booted = await bootEnvironment(fn, log)
    pool.push(booted)
    return invokeIn(booted, name, invocation)
  }

  async function invokeIn(environment: Environment, name: string, invocation: Invocation): Promise<Outcome> {
    const began = performance.now()
    const outcome = await environment.invoke(invocation)
    bills.push({ name, path: pathOf(invocation.event), ms: performance.now() - began })
    if (outcome.kind === "error") log(`${name} failed: ${outcome.error}\n`)
    return outcome
  }

  function deliver(name: string, launch: Launch): void {
    launches.push(launch)
    const { deliveries = [0], timeoutMs, hurry } = fates.get(launch.sid)?.shift() ?? {}
    for (const delayMs of deliveries) {
      const timer = setTimeout(() => {
        timers.delete(timer)
        const work = hurry ? hurried(name, launch, hurry, timeoutMs) : invoke(name, launch, undefined, timeoutMs)
        const flight = work.finally(() => flying.delete(flight))
        flying.add(flight)
      }, delayMs)
      timers.add(timer)
    }
  }

  /** Invokes a worker in a new environment, which isn't reused. */
  async function hurried(name: string, launch: Launch, hurry: number, timeoutMs = 0): Promise<Outcome> {
    const fn = functions[name]
    if (!fn) throw new Error(`There is no function ${name}.`)
    const booted = await bootEnvironment({ ...fn, env: { ...fn.env, HURRY: String(hurry) } }, log)
    environments.set(`${name}, hurried`, [...(environments.get(`${name}, hurried`) ?? []), booted])
    const outcome = await invokeIn(booted, name, { event: launch, timeoutMs })
    await booted.kill()
    return outcome
  }

  const api = await listen(async (request, response) => {
    const [, name = "", what = ""] = /\/functions\/([^/]+)\/([\w/]+)/.exec(request.url ?? "") ?? []
    const launch = JSON.parse((await text(request)) || "{}")
    const answer = answerRollback(name, what, launch)
    if (answer) return response.setHeader("content-type", "application/json").end(JSON.stringify(answer))
    if (request.headers["x-amz-invocation-type"] !== "Event") {
      const outcome = await invoke(name, launch)
      if (outcome.kind !== "done") response.setHeader("x-amz-function-error", "Unhandled")
      return response.end(outcome.kind === "done" ? outcome.answer : "{}")
    }
    response.writeHead(202).end()
    deliver(name, launch)
  })

  return {
    endpoint: `http://${api.host}`,
    invoke,
    fates,
    launches,
    bills,
    /** True if an invocation of this function is under way. */
    isAtWork: (name: string) => (environments.get(name) ?? []).some(({ event }) => event() !== undefined),
    /** Publishes a version of each function with these settings, and makes it live. */
    publish(settings: (fn: LambdaFunction, number: number) => Record<string, string>): void {
      for (const [name, fn] of Object.entries(functions)) {
        const versions = published.get(name) ?? []
        published.set(name, [...versions, settings(fn, versions.length + 1)])
        makeLive(name, versions.length + 1)
      }
    },
    /** Kills the processes that work on a session. Resolves to their number. */
    async killWorkersOf(sid: string): Promise<number> {
      const working = [...environments.values()]
        .flat()
        .filter(({ event }) => (event() as Launch | undefined)?.sid === sid)
      await Promise.all(working.map(({ kill }) => kill()))
      return working.length
    },
    /** Resolves when all launches have arrived and ended. */
    async settled(): Promise<void> {
      while (timers.size > 0 || flying.size > 0) {
        await (flying.size > 0 ? Promise.all(flying) : new Promise((resolve) => setTimeout(resolve, 20)))
      }
    },
    async stop(): Promise<void> {
      for (const timer of timers) clearTimeout(timer)
      await Promise.all([...environments.values()].flat().map(({ kill }) => kill()))
      api.stop()
    },
  }
}

function timeoutOf(fn: LambdaFunction | undefined, event: unknown): number {
  const { timeoutMs = 0, exception } = fn ?? {}
  return exception?.paths.test(pathOf(event) ?? "") ? exception.timeoutMs : timeoutMs
}

function pathOf(event: unknown): string | undefined {
  return typeof event === "object" && event !== null && "rawPath" in event ? String(event.rawPath) : undefined
}
