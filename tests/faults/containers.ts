import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sessionKey } from "@switchyard/core/ids"
import { logName } from "@switchyard/core/kernel/keys"
import { createLog } from "@switchyard/core/log/log"
import { createDynamoClient, createDynamoRecords } from "@switchyard/core/storage/dynamo"
import { createS3Blobs, createS3Client, createS3PresignClient } from "@switchyard/core/storage/s3"
import { createSealer } from "@switchyard/core/storage/sealing"
import { systemClock } from "@switchyard/core/time"
import { sweep } from "@switchyard/core/work/runs/sweep"
import { createTasks } from "@switchyard/functions/aws/ecs"
import { createLambdaLauncher } from "@switchyard/functions/aws/launcher"
import { keepWarm } from "@switchyard/functions/aws/warm-runners"
import { compose } from "@switchyard/functions/compose"
import { loadConfig } from "@switchyard/functions/config"
import { expect, vi } from "vitest"
import { ask, awslambda, context, MASTER_KEY, startAws } from "../functions/aws/lambda.ts"
import { PLACE, startEcs } from "../rehearsal/ecs.ts"
import { startSts } from "../rehearsal/sts.ts"
import { startWeather, type Weather } from "../rehearsal/weather.ts"
import { removeFolder } from "../remove-folder.ts"
import { COMPILED, never as signal } from "../settings.ts"
import { readSession } from "./ledger.ts"

const OWNER = "admin"
/** Decides the fate of a record that a runner writes. */
type Strike = () => ReturnType<Weather>

export type Containers = Awaited<ReturnType<typeof openContainers>>

/**
 * Opens a stage with agents: its functions in this process, and real runners as ECS's tasks, each with its own disk.
 */
export async function openContainers({
  env: given = {},
  idleMs = 1500,
}: {
  env?: Record<string, string>
  idleMs?: number
} = {}) {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-tasks-"))
  const [aws, sts] = await Promise.all([startAws(), startSts()])
  const records = await startWeather(aws.env.AWS_ENDPOINT_URL_DYNAMODB)
  const strikes = new Map<string, Strike>()
  records.set((request) => {
    const partition: string | undefined = JSON.parse(request).Item?.pk?.S
    return strikes.get(partition?.split("/")[1] ?? "")?.()
  })
  let printed = ""
  const print = (text: string) => {
    printed += text
  }
  const common = { ...aws.env, APP_ENV: "development", AGENTS: "on", NODE_COMPILE_CACHE: COMPILED, ...given }
  const ofRunners = {
    AWS_ENDPOINT_URL_DYNAMODB: records.url,
    CREDENTIALS: "credentials",
    LOGINS: "logins",
    VERSION: "0",
  }
  const { MASTER_KEY: _, ...public_ } = common
  const ecs = await startEcs({
    folder,
    env: () => ({ ...public_, ...ofRunners, RUNNER_IDLE_MS: String(idleMs) }),
    log: print,
  })
  const env: Record<string, string> = {
    ...common,
    RUNNER: JSON.stringify(PLACE),
    AWS_ENDPOINT_URL_ECS: ecs.endpoint,
    AWS_ENDPOINT_URL_STS: sts.endpoint,
    SESSION_ROLE: "arn:aws:iam::123456789012:role/session",
    ...{ CLUSTER: PLACE.cluster, SLOTS: "slots" },
  }
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  vi.stubGlobal("awslambda", awslambda)
  const api = (await import("@switchyard/functions/aws/api")).handler
  const worker = (await import("@switchyard/functions/aws/worker")).handler
  const credentials = (await import("@switchyard/functions/aws/credentials")).handler
  const slots = (await import("@switchyard/functions/aws/slots")).handler
  const sweepNow = (await import("@switchyard/functions/aws/sweep")).handler
  const working: Promise<void>[] = []
  aws.invokes((payload) => {
    const isForSlots = typeof payload === "object" && payload !== null && "check" in payload
    working.push((isForSlots ? slots : worker)(payload, context()))
  })
  ecs.onStopped((taskArn) => working.push(slots({ detail: { taskArn, lastStatus: "STOPPED" } }, context())))
  aws.answers((payload) => credentials(payload, context()))

  const stores = {
    records: createDynamoRecords({ client: createDynamoClient(), table: aws.env.TABLE }),
    blobs: createS3Blobs({
      client: createS3Client(),
      presignClient: createS3PresignClient(),
      bucket: aws.env.BUCKET,
    }),
  }

  const log = createLog({ ...stores, clock: systemClock })

  /** Sweeps with a clock that is ahead by this many milliseconds. */
  async function sweepIn(aheadMs: number): Promise<void> {
    const sealer = createSealer(new Uint8Array(Buffer.from(MASTER_KEY, "base64")))
    const report = (error: unknown) => expect.unreachable(String((error as Error).stack))
    const { sweep: deps } = compose(loadConfig({ ...env, HOST: "0.0.0.0", AUTH_MODE: "token" }, { deployed: true }), {
      ...stores,
      clock: { ...systemClock, now: () => systemClock.now() + aheadMs },
      ...{ sealer, sealerOf: () => sealer, writer: "sweep", report },
      launcher: createLambdaLauncher({ worker: "worker", agents: true, now: systemClock.now, report }),
    })
    await sweep(deps, { signal })
  }

  return {
    ...{ folder, ecs, sts, sweepIn },
    /** Returns the functions' record of the runners that wait for a session. */
    async pool(): Promise<{ places: { id: string; executor: string | null; launch: object | null }[] }> {
      const record = await stores.records.get({ partition: "warm-runners", sort: "all" })
      return (record?.value ?? { places: [] }) as never
    },
    /** True if this waiting runner was given a session. */
    isHandedOver: async (id: string) =>
      (await stores.records.get({ partition: `warm-handover/${id}`, sort: "session" })) !== undefined,
    /** Keeps this many runners waiting, like a worker that was deployed with another setting. */
    keepWarm: (count: number) =>
      keepWarm(
        {
          ...{ records: stores.records, clock: systemClock, openTasks: async () => createTasks(PLACE) },
          masterKey: new Uint8Array(Buffer.from(MASTER_KEY, "base64")),
          report: (error) => expect.unreachable(String((error as Error).stack)),
        },
        { count, definition: PLACE.task_definition },
        { signal },
      ),
    /** Runs the function that sweeps each minute. */
    sweepNow: () => sweepNow({}, context()),
    /** Strikes by session. */
    strikes,
    printed: () => printed,
    async call(method: string, path: string, json?: unknown) {
      const answer = await ask(api, method, path, json === undefined ? {} : { json })
      return { status: answer.status, body: answer.text === "" ? undefined : JSON.parse(answer.text) }
    },
    sidOf: (session: string) => sessionKey(OWNER, session),
    read: (session: string) => readSession(stores, session, OWNER),
    events: (session: string) => Array.fromAsync(log.read(logName(sessionKey(OWNER, session)), 0, { signal })),
    /** Resolves when all workers have ended. */
    async settled(): Promise<void> {
      while (working.length > 0) await working.pop()
    },
    async close(): Promise<void> {
      await ecs.stop()
      await Promise.allSettled(working)
      records.stop()
      sts.stop()
      await aws.stop()
      await removeFolder(folder, { kill: true })
      vi.unstubAllEnvs()
      vi.unstubAllGlobals()
    },
  }
}
