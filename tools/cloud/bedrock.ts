import { defaultAwsAccess } from "@switchyard/core/models/aws-access"
import { listBedrockModels } from "@switchyard/core/models/bedrock-models"
import { parseStageSettings, stageSettingsIn } from "@switchyard/functions/stage-settings"
import { withAddedAgents } from "./added-agents.ts"
import type { Finding } from "./finding.ts"

const RESPONSE_WITHIN_MS = 15_000
const MAY_NOT_ASK =
  "It is unknown whether the account has access to all models in BEDROCK_MODELS. To check that, your login needs bedrock:GetFoundationModelAvailability and, for inference profiles, bedrock:GetInferenceProfile. An address in BEDROCK_BASE_URL must also accept these requests."

/** Finds out which of the stage's Bedrock models the account can use. Sends no request if none are set up. */
export async function bedrockFound(
  env: Record<string, string | undefined>,
  stageRegion: string,
  { withinMs = RESPONSE_WITHIN_MS } = {},
): Promise<Finding[]> {
  const settings = parseStageSettings(stageSettingsIn(withAddedAgents(env)))
  const { BEDROCK_MODELS: models, BEDROCK_REGION: region = stageRegion, BEDROCK_BASE_URL: baseUrl } = settings
  if (models.length === 0) return []
  const signal = AbortSignal.timeout(withinMs)
  try {
    const listing = { models, aws: defaultAwsAccess(region), baseUrl, fetch, signal }
    const { complete, problems } = await listBedrockModels(listing)
    const notes = [...problems.map(({ reason }) => reason), ...(complete ? [] : [MAY_NOT_ASK])]
    if (notes.length > 0) return notes.map((says) => ({ kind: "note", says }))
    return [{ kind: "fine", says: `The account has access to ${models.join(", ")}.` }]
  } catch (error) {
    const silence = signal.aborted && `Amazon Bedrock didn't respond within ${withinMs / 1000} s.`
    const reason = silence || (error instanceof Error ? error.message : String(error))
    return [{ kind: "note", says: `The models in BEDROCK_MODELS couldn't be checked: ${reason}` }]
  }
}
