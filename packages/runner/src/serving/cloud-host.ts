import { RunnerTicket } from "@switchyard/core/agents/runner/credentials-schema"
import { createLaunchMailbox, type LaunchMailbox } from "@switchyard/core/agents/runner/launch-mailbox"
import { createWakeups } from "@switchyard/core/log/notifier"
import { createLogger } from "@switchyard/core/log-lines"
import { createHostPolicy } from "@switchyard/core/network/host-policy"
import { openStores } from "@switchyard/core/storage/open-stores"
import { createRetryingStores } from "@switchyard/core/storage/retrying-stores"
import { parseJson } from "@switchyard/core/text/parse-json"
import type { Clock } from "@switchyard/core/time"
import { createOutcomeLog } from "@switchyard/core/work/usage/outcomes"
import * as z from "zod"
import { createAskedArchives } from "./asked-archives.ts"
import { createAskedBudget } from "./asked-budget.ts"
import { createAskedLogins } from "./asked-logins.ts"
import type { RunMessage, RunnerHost } from "./host.ts"
import {
  createSessionCredentials,
  exchangeTicketWith,
  invokeByName,
  type RunnerFunction,
} from "./session-credentials.ts"
import { awaitSession, WarmSettings } from "./warm-runner.ts"

/** Settings that every ECS task receives from its definition and from ECS. */
const TaskSettings = z.object({
  /** Name of the function that issues credentials. */
  CREDENTIALS: z.string().min(1),
  /** Version of the stage's code. */
  VERSION: z.string().min(1),
  /** URL of the task's metadata. */
  ECS_CONTAINER_METADATA_URI_V4: z.url(),
})

/** Settings of an ECS task with a session. The launcher adds the session's values. */
const Settings = TaskSettings.extend({
  TABLE: z.string().min(1),
  BUCKET: z.string().min(1),
  RUNNER_SESSION: z.string().min(1),
  /** Key that decrypts only secrets sealed for this session's runners. */
  RUNNER_KEY: z.base64().transform((text) => new Uint8Array(Buffer.from(text, "base64"))),
  /** Ticket for this session. It can be exchanged for credentials to the session's records and blobs. */
  RUNNER_TICKET: z
    .string()
    .transform((text) => JSON.parse(text))
    .pipe(RunnerTicket),
  /** Name of the function that manages account logins. */
  LOGINS: z.string().min(1),
  EXPOSE_VERBOSE_ERRORS: z.stringbool().default(false),
  ALLOWED_HOSTS: z
    .string()
    .default("")
    .transform((text) => text.split(",").filter(Boolean)),
  RUNNER_STANDBY: z.stringbool().default(false),
  PARK_AFTER_SECONDS: z.coerce.number().int().positive().optional(),
  RUNNER_IDLE_MS: z.coerce.number().int().positive().default(300_000),
  SWITCHYARD_DATA: z.string().default("/var/lib/switchyard"),
})

/** Interval between polls for launches. */
const LOOK_MS = 1000

/**
 * Opens a host in a container of its own, backed by DynamoDB and S3. It communicates only through its session's
 * records.
 */
export async function openCloudHost(
  env: Record<string, string | undefined>,
  clock: Clock,
  { credentials: given, ...options }: { credentials?: RunnerFunction; signal: AbortSignal },
): Promise<RunnerHost> {
  const settings = Settings.parse(env)
  const { RUNNER_SESSION: sid, RUNNER_KEY: key } = settings
  const executor = `ecs-${await ownTask(settings.ECS_CONTAINER_METADATA_URI_V4, options)}`
  const { ask, now } = given ?? invokeByName(settings.CREDENTIALS)
  const first = { ticket: settings.RUNNER_TICKET, executor }
  const { provide: credentials, ticket } = createSessionCredentials({ trade: exchangeTicketWith(ask), now }, first)
  const { records, blobs } = await openStores({ table: settings.TABLE, bucket: settings.BUCKET, credentials })
  const patient = createRetryingStores({ records, blobs }, clock)
  const notes = createLaunchMailbox({ records: patient.records, now: clock.now }, { sid, key })
  const yielding = new AbortController()
  const logLine = createLogger((text) => process.stdout.write(text), { now: clock.now, version: settings.VERSION })
  const system = await findImage(settings.ECS_CONTAINER_METADATA_URI_V4, options)
  return {
    ...{ sid, key, records, blobs, local: false, isContainer: true, programs: [] },
    awsCredentials: credentials,
    executor,
    ownerBudget: createAskedBudget({ ask, clock, executor, ticket }),
    // Homes of other containers no longer exist, so no logins are left in them.
    leftLogins: [],
    archives: system === undefined ? undefined : createAskedArchives({ ask, blobs, sid, executor, ticket, system }),
    logins: createAskedLogins({ ask: invokeByName(settings.LOGINS).ask, executor, ticket }),
    dataFolder: settings.SWITCHYARD_DATA,
    hosts: createHostPolicy(settings.ALLOWED_HOSTS),
    idleMs: settings.RUNNER_IDLE_MS,
    parkAfterMs: settings.PARK_AFTER_SECONDS && settings.PARK_AFTER_SECONDS * 1000,
    verboseErrors: settings.EXPOSE_VERBOSE_ERRORS,
    wakeups: createWakeups(),
    standby: settings.RUNNER_STANDBY,
    launches: (given) => launchesIn(notes, clock, { executor, yielding, ...given }),
    yielding: yielding.signal,
    onAppended: createOutcomeLog(logLine),
    send() {},
    close() {},
  }
}

/**
 * Opens a host in a container that was started before a session needs it. Until a session is assigned, the host has no
 * credentials, key or ticket for any session. Returns undefined if no session will need the host.
 */
export async function openWarmHost(
  env: Record<string, string | undefined>,
  clock: Clock,
  options: { signal: AbortSignal },
): Promise<RunnerHost | undefined> {
  const { CREDENTIALS, ECS_CONTAINER_METADATA_URI_V4: metadata } = TaskSettings.parse(env)
  const credentials = invokeByName(CREDENTIALS)
  const executor = `ecs-${await ownTask(metadata, options)}`
  const settings = await awaitSession(WarmSettings.parse(env), { ask: credentials.ask, executor, clock }, options)
  return settings && openCloudHost({ ...env, ...settings }, clock, { credentials, ...options })
}

/**
 * Time limit for a reply from ECS, which normally takes milliseconds. After that, the task exits and another one is
 * launched.
 */
const METADATA_WITHIN_MS = 10_000

/** Returns the ID of this process's ECS task. */
export async function ownTask(
  metadata: string,
  { signal, withinMs = METADATA_WITHIN_MS }: { signal: AbortSignal; withinMs?: number },
): Promise<string> {
  const limit = AbortSignal.timeout(withinMs)
  try {
    return await askTask(metadata, AbortSignal.any([signal, limit]))
  } catch (error) {
    if (!limit.aborted || signal.aborted) throw error
    throw new Error(`ECS didn't return this task's metadata within ${withinMs} ms.`, { cause: error })
  }
}

async function askTask(metadata: string, signal: AbortSignal): Promise<string> {
  const answer = await fetch(`${metadata}/task`, { signal })
  const { TaskARN } = z.object({ TaskARN: z.string() }).parse(await answer.json())
  return TaskARN.slice(TaskARN.lastIndexOf("/") + 1)
}

/** Returns the digest of this container's image. Undefined if ECS doesn't report it or can't be reached. */
async function findImage(metadata: string, { signal }: { signal: AbortSignal }): Promise<string | undefined> {
  const limit = AbortSignal.timeout(METADATA_WITHIN_MS)
  try {
    const answer = await fetch(metadata, { signal: AbortSignal.any([signal, limit]) })
    const container = z.object({ ImageID: z.string().min(1) }).safeParse(parseJson(await answer.text()))
    return container.data?.ImageID
  } catch {
    // The runner can serve its session without archives.
    signal.throwIfAborted()
    return undefined
  }
}

/** Yields launched runs. Aborts `yielding` if another session is waiting for this executor's slot. */
export async function* launchesIn(
  notes: LaunchMailbox,
  clock: Clock,
  { executor, yielding, signal }: { executor: string; yielding: AbortController; signal: AbortSignal },
): AsyncGenerator<RunMessage> {
  while (!signal.aborted) {
    for await (const note of notes.drain({ signal })) {
      if (note.type === "run") yield note
      else if (note.executor === executor) yielding.abort()
    }
    await clock.sleep(LOOK_MS, { signal })
  }
}
