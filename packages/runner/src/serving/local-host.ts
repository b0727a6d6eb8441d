import { randomBytes } from "node:crypto"
import { createInterface } from "node:readline"
import { PassThrough } from "node:stream"
import type { LoginAnswer } from "@switchyard/core/agents/runner/login-schema"
import { type FromRunner, ToRunner } from "@switchyard/core/agents/runner/messages"
import { backoffMs, retry } from "@switchyard/core/concurrency/retry"
import { isAppError } from "@switchyard/core/errors"
import { createWakeups } from "@switchyard/core/log/notifier"
import { createHostPolicy } from "@switchyard/core/network/host-policy"
import { createOwnerBudget } from "@switchyard/core/people/budget/owner-budget"
import { openStores } from "@switchyard/core/storage/open-stores"
import { createRetryingStores } from "@switchyard/core/storage/retrying-stores"
import type { Clock } from "@switchyard/core/time"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { createLedger } from "@switchyard/core/work/usage/ledger"
import type { AskLogins, RunnerHost } from "./host.ts"

type StartMessage = Extract<ToRunner, { type: "start" }>

/**
 * Opens a host next to the server, using the server's files. Launches arrive on stdin, which closes when the server
 * exits.
 */
export async function openLocalHost(clock: Clock, { signal }: { signal: AbortSignal }): Promise<RunnerHost> {
  const messages = readMessages()
  const start = (await messages.next()).value
  if (start?.type !== "start") throw new Error("The first line of a runner's input must be a start message.")
  const { sid, data_folder: dataFolder, local, programs } = start
  const key = start.key === undefined ? undefined : new Uint8Array(Buffer.from(start.key, "base64"))
  const { records, blobs, close } = await openServersStores(start, clock, signal)
  const patient = createRetryingStores({ records, blobs }, clock)
  const index = createRunIndex(patient.records)
  const ledger = createLedger({ ...patient, index })
  const heard = createWakeups()
  const yielding = new AbortController()
  const logins = createSentRequests()
  process.stdout.on("error", () => {})

  // Start reading messages now, because a runner returns leftover logins before it accepts launches.
  const launches = new PassThrough({ objectMode: true })
  launches.on("error", () => {})
  async function receive(): Promise<void> {
    for await (const message of messages) {
      if (message.type === "wake") heard.notify(message.log)
      if (message.type === "yield") yielding.abort()
      if (message.type === "login") logins.answered(message)
      if (message.type === "run") launches.write(message)
    }
    logins.close()
    launches.end()
  }
  receive().catch((error) => launches.destroy(error))

  return {
    ...{ sid, key, dataFolder, local, isContainer: false, programs, records, blobs, send },
    executor: `local-${process.pid}-${randomBytes(6).toString("hex")}`,
    ownerBudget: createOwnerBudget({ ...patient, index, ledger, clock }),
    hosts: createHostPolicy(start.allowed_hosts),
    idleMs: start.idle_ms,
    parkAfterMs: start.park_after_ms,
    retentionMs: start.retention_ms,
    saveEveryMs: start.save_every_ms,
    gitWithinMs: start.git_within_ms,
    verboseErrors: start.verbose_errors,
    wakeups: {
      ...heard,
      notify(log) {
        heard.notify(log)
        send({ type: "wake", log })
      },
    },
    launches: () => launches,
    leftLogins: start.left_logins,
    logins: logins.ask,
    yielding: yielding.signal,
    close,
  }
}

/** Opens the server's stores. Retries while the disk is full, because opening a store needs disk space. */
async function openServersStores({ data_folder: path, services }: StartMessage, clock: Clock, signal: AbortSignal) {
  const delayMs = (error: unknown, attempt: number) => {
    if (!isAppError(error, "storage_unavailable")) return undefined
    if (attempt === 0) console.error(error)
    return backoffMs(attempt, 100, 2000)
  }
  // URL and key are placeholders, because runners never create links.
  const folder = { path, publicUrl: "http://127.0.0.1", signingKey: randomBytes(32), now: clock.now }
  return retry(() => openStores({ ...services, pathStyle: services.path_style }, folder), { delayMs, clock, signal })
}

async function* readMessages(): AsyncGenerator<ToRunner> {
  for await (const line of createInterface({ input: process.stdin })) yield ToRunner.parse(JSON.parse(line))
}

/** Sends a message to the server, unless the server has stopped reading. */
function send(message: FromRunner): void {
  if (process.stdout.writable) process.stdout.write(`${JSON.stringify(message)}\n`)
}

/** Tracks login requests that the server hasn't replied to yet. */
function createSentRequests(): {
  ask: AskLogins
  answered: (message: Extract<ToRunner, { type: "login" }>) => void
  close: () => void
} {
  const sent = new Map<number, PromiseWithResolvers<LoginAnswer>>()
  let isClosed = false
  let last = 0
  const unanswered = () => new Error("The server didn't reply to a login request.")
  return {
    async ask(request, { signal }) {
      if (isClosed) throw unanswered()
      const id = ++last
      const reply = Promise.withResolvers<LoginAnswer>()
      const giveUp = () => reply.reject(signal.reason)
      signal.addEventListener("abort", giveUp, { once: true })
      sent.set(id, reply)
      if (signal.aborted) giveUp()
      else send({ type: "login", id, request })
      try {
        return await reply.promise
      } finally {
        signal.removeEventListener("abort", giveUp)
        sent.delete(id)
      }
    },
    answered({ id, answer }) {
      if (answer) sent.get(id)?.resolve(answer)
      else sent.get(id)?.reject(unanswered())
    },
    close() {
      isClosed = true
      for (const reply of sent.values()) reply.reject(unanswered())
    },
  }
}
