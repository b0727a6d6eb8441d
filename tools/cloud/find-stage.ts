import { type LambdaClient, paginateListFunctions } from "@aws-sdk/client-lambda"
import * as z from "zod"

/** A deployed stage. */
export interface DeployedStage {
  table: string
  bucket: string
  functions: string[]
  /** Cluster with the agents' containers, if there is one. */
  cluster?: string
}

const Settings = z.object({
  TABLE: z.string().min(1),
  BUCKET: z.string().min(1),
  RUNNER: z
    .string()
    .transform((text) => JSON.parse(text))
    .pipe(z.object({ cluster: z.string() }))
    .optional(),
})

/** Finds a stage as `findStage` does. Throws if the region has no such stage. */
export async function requireStage(client: LambdaClient, stage: string): Promise<DeployedStage> {
  const found = await findStage(client, stage)
  if (!found) throw new Error(`There is no stage ${stage} in this account and region.`)
  return found
}

/**
 * Finds a stage by the names that SST gives its functions, and by the worker's settings. Returns undefined if the region
 * has no such stage.
 */
export async function findStage(client: LambdaClient, stage: string): Promise<DeployedStage | undefined> {
  // Component names begin with a capital letter, unlike stage names, so `try` doesn't match `try-2`.
  const part = new RegExp(`^switchyard-${stage}-([A-Z]\\w*)`)
  const functions: string[] = []
  let settings: z.infer<typeof Settings> | undefined
  for await (const { Functions = [] } of paginateListFunctions({ client }, {})) {
    for (const { FunctionName: name = "", Environment } of Functions) {
      const [, component] = part.exec(name) ?? []
      if (component === undefined) continue
      functions.push(name)
      if (component === "WorkerFunction") settings = Settings.parse(Environment?.Variables)
    }
  }
  if (!settings) return undefined
  const { TABLE: table, BUCKET: bucket, RUNNER: runner } = settings
  return { table, bucket, functions, ...(runner && { cluster: runner.cluster }) }
}
