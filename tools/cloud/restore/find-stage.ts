import { type LambdaClient, paginateListFunctions } from "@aws-sdk/client-lambda"
import * as z from "zod"

/** A stage as it is deployed. */
export interface DeployedStage {
  table: string
  bucket: string
  functions: string[]
  /** Of agents' containers, where there are any. */
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

/** Finds a stage by the names that SST gives its functions, and by what the worker is told. Throws if there is none in the region. */
export async function findStage(client: LambdaClient, stage: string): Promise<DeployedStage> {
  // The names of parts begin with a capital letter, those of stages don't: `try` is not `try-2`.
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
  if (!settings) throw new Error(`There is no stage ${stage} in this account and region.`)
  const { TABLE: table, BUCKET: bucket, RUNNER: runner } = settings
  return { table, bucket, functions, ...(runner && { cluster: runner.cluster }) }
}
