import { createDynamoClient, createDynamoRecords } from "@switchyard/core/storage/dynamo"
import { createS3Blobs, createS3Client, createS3PresignClient } from "@switchyard/core/storage/s3"
import { createSealer, type Sealer } from "@switchyard/core/storage/sealing"
import { systemClock } from "@switchyard/core/time"
import type { Launcher } from "@switchyard/core/work/runs/launcher"
import * as z from "zod"
import { compose } from "../compose.ts"
import { loadConfig } from "../config.ts"
import { createLambdaLauncher, noLauncher } from "./launcher.ts"
import { createLines, describeError } from "./lines.ts"

/** The variables that `infra/` sets for a function beside the product's own settings. Each has only those that it needs. */
const Settings = z.object({
  TABLE: z.string().min(1),
  BUCKET: z.string().min(1),
  VERSION: z.string().min(1),
  /** The name of the worker, for whoever starts runs. */
  WORKER: z.string().min(1).optional(),
  /** Whether agents can be put to work. */
  AGENTS: z.literal("on").optional(),
  /** 32 bytes in base64, for whoever seals or opens what is secret. */
  MASTER_KEY: z
    .base64()
    .transform((text) => new Uint8Array(Buffer.from(text, "base64")))
    .optional(),
})

/** Everything in the cloud: records in DynamoDB, blobs in S3, runs in workers. `writer` is this process's name. */
export function openCloud(env: Record<string, string | undefined>, { writer }: { writer: string }) {
  const settings = Settings.parse(env)
  // Anybody who knows the address can send requests, on any stage.
  const config = loadConfig({ ...env, HOST: "0.0.0.0", AUTH_MODE: "token" })
  const clock = systemClock
  const line = createLines((text) => process.stdout.write(text), clock.now)
  const report = (error: unknown) => line("error", { error: describeError(error) })
  const records = createDynamoRecords({ client: createDynamoClient(), table: settings.TABLE })
  const blobs = createS3Blobs({
    client: createS3Client(),
    presignClient: createS3PresignClient(),
    bucket: settings.BUCKET,
  })
  const { WORKER: worker } = settings
  const agents = settings.AGENTS === "on"
  const launcher: Launcher = worker ? createLambdaLauncher({ worker, agents, report }) : noLauncher
  const sealer = settings.MASTER_KEY ? createSealer(settings.MASTER_KEY) : noSealer
  const core = compose(config, { records, blobs, clock, sealer, launcher, writer, report })
  const { VERSION: version, MASTER_KEY: masterKey } = settings
  return { config, clock, records, blobs, line, report, core, version, masterKey, withAgents: agents }
}

export type Cloud = ReturnType<typeof openCloud>

/** For functions that have no business with secrets. */
const noSealer: Sealer = { seal: withoutKey, open: withoutKey }

function withoutKey(): never {
  throw new Error("This function has no key.")
}
