import { defaultAwsAccess } from "@switchyard/core/models/aws-access"
import { listBedrockModels } from "@switchyard/core/models/bedrock-models"
import type { Finding } from "./finding.ts"

const ANSWER_WITHIN_MS = 15_000

/** Finds out which of the stage's Bedrock models the account can use. Asks nothing if none are set up. */
export async function bedrockFound(env: Record<string, string | undefined>, stageRegion: string): Promise<Finding[]> {
  const models = (env.BEDROCK_MODELS ?? "").split(",").flatMap((name) => name.trim() || [])
  if (models.length === 0) return []
  const region = env.BEDROCK_REGION || stageRegion
  const listing = { models, aws: defaultAwsAccess(region), baseUrl: env.BEDROCK_BASE_URL, fetch }
  const open = "Open them in the model catalog of the Bedrock console, in"
  try {
    const listed = await listBedrockModels({
      ...listing,
      ...{ signal: AbortSignal.timeout(ANSWER_WITHIN_MS), timeoutMs: ANSWER_WITHIN_MS },
    })
    const names = listed.models.map(({ name }) => name.replace("bedrock/", ""))
    const closed = models.filter((model) => !names.includes(model))
    if (closed.length === 0) return [{ kind: "fine", says: `The account has access to ${models.join(", ")}.` }]
    return [{ kind: "note", says: `The account has no access to ${closed.join(", ")} yet. ${open} ${region}.` }]
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [{ kind: "note", says: `The models in BEDROCK_MODELS can't be used yet: ${reason}` }]
  }
}
