import { runnerKey } from "@switchyard/core/agents/runner/launch-mailbox"
import { watchForStalls } from "@switchyard/core/concurrency/stalls"
import { createLogger, describeError } from "@switchyard/core/log-lines"
import { openStores } from "@switchyard/core/storage/open-stores"
import { createSealer, type Sealer } from "@switchyard/core/storage/sealing"
import { systemClock } from "@switchyard/core/time"
import type { Launcher } from "@switchyard/core/work/runs/launcher"
import { createOutcomeLog } from "@switchyard/core/work/usage/outcomes"
import * as z from "zod"
import { compose } from "../compose.ts"
import { loadConfig } from "../config.ts"
import { previewSigningKey } from "../previews/keys.ts"
import { createLambdaLauncher, noLauncher } from "./launcher.ts"
import { createPreviews } from "./previews.ts"
import { isQueued, waitingBefore } from "./stage-places.ts"

/**
 * Variables that `infra/` sets in addition to the product's own settings. Each function gets only those that it needs.
 */
const Settings = z.object({
  TABLE: z.string().min(1),
  BUCKET: z.string().min(1),
  VERSION: z.string().min(1),
  /** Name of the worker, for functions that start runs. */
  WORKER: z.string().min(1).optional(),
  /** Name of the function that gives away runner slots, if agents are enabled. */
  SLOTS: z.string().min(1).optional(),
  /** Set if agents are enabled. */
  AGENTS: z.literal("on").optional(),
  /** Number of runners to keep waiting for a session, if agents are enabled. */
  WARM_RUNNERS: z.coerce.number().int().min(0).default(0),
  /** Set if API Gateway serves WebSockets. */
  SOCKETS: z.literal("on").optional(),
  /** Domain for previews. Without one, previews share an origin. */
  PREVIEW_DOMAIN: z.string().min(1).optional(),
  PREVIEW_ORIGIN: z.url().optional(),
  /** 32 bytes in base64, for functions that seal or open secrets. */
  MASTER_KEY: z
    .base64()
    .transform((text) => new Uint8Array(Buffer.from(text, "base64")))
    .optional(),
})

/**
 * Opens core for the cloud: records in DynamoDB, blobs in S3, runs in workers. `writer` is the name of this process.
 */
export async function openCloud(env: Record<string, string | undefined>, { writer }: { writer: string }) {
  const settings = Settings.parse(env)
  // Tokens are always required, because every stage is reachable from the internet.
  const config = loadConfig(
    { ...env, HOST: "0.0.0.0", AUTH_MODE: "token" },
    { deployed: true, previewDomain: settings.PREVIEW_DOMAIN },
  )
  const clock = systemClock
  const logLine = createLogger((text) => process.stdout.write(text), { now: clock.now, version: settings.VERSION })
  const report = (error: unknown) => logLine("error", { error: describeError(error) })
  watchForStalls((stallMs) => logLine("stall", { stall_ms: stallMs }))
  const { records, blobs } = await openStores({ table: settings.TABLE, bucket: settings.BUCKET })
  const { WORKER: worker } = settings
  const agents = settings.AGENTS === "on"
  const launcher: Launcher = {
    ...(worker ? createLambdaLauncher({ worker, agents, now: clock.now, report }) : noLauncher),
    ...(agents && {
      waitingBefore: (sid, options) => waitingBefore({ records, clock }, sid, options),
      isHeld: (sid, options) => isQueued({ records, clock }, sid, options),
    }),
  }
  const { VERSION: version, MASTER_KEY: masterKey } = settings
  const sealer = masterKey ? createSealer(masterKey) : missingSealer
  const sealerOf = (sid: string) => (masterKey ? createSealer(runnerKey(masterKey, sid)) : missingSealer)
  const onAppended = createOutcomeLog(logLine)
  const core = compose(config, { records, blobs, clock, sealer, sealerOf, launcher, writer, report, onAppended })
  const sockets = settings.SOCKETS === "on"
  const { PREVIEW_DOMAIN: domain, PREVIEW_ORIGIN: origin } = settings
  const previews =
    (domain || origin) && masterKey
      ? createPreviews(config, { signingKey: previewSigningKey(masterKey), domain, origin })
      : undefined
  return {
    config,
    clock,
    records,
    blobs,
    logLine,
    report,
    core,
    version,
    worker,
    slots: settings.SLOTS,
    masterKey,
    sockets,
    previews,
    withAgents: agents,
    warmRunners: settings.WARM_RUNNERS,
  }
}

export type Cloud = Awaited<ReturnType<typeof openCloud>>

/** Sealer for functions that don't handle secrets. Always throws. */
const missingSealer: Sealer = { seal: failWithoutKey, open: failWithoutKey }

function failWithoutKey(): never {
  throw new Error("This function has no MASTER_KEY.")
}
