/// <reference path="../.sst/platform/config.d.ts" />
import { claude } from "../packages/core/src/agents/clis/claude.ts"
import { foundationModelOf, isInferenceProfile } from "../packages/core/src/models/providers/bedrock.ts"
import { bedrock } from "./stage.ts"

interface Permission {
  actions: string[]
  resources: $util.Input<string>[]
  conditions?: { test: string; variable: string; values: $util.Input<string>[] }[]
}

/** The only action of the product's calls: they are all streamed. */
const INVOKE = ["bedrock:InvokeModelWithResponseStream"]

/**
 * Returns the permissions to call the stage's Bedrock models, and no others. Empty if the stage has no Bedrock models.
 * An inference profile routes requests to models in several regions, so its models are allowed in every region, but
 * only through the profile.
 */
export function callBedrock(models: readonly string[] = bedrock.models): Permission[] {
  return models.flatMap((name): Permission[] => {
    const arn = arnOf(name)
    if (!isInferenceProfile(name)) return [{ actions: INVOKE, resources: [arn] }]
    // An application inference profile's name doesn't contain its model.
    const model = foundationModelOf(name) ?? "*"
    const through = { test: "StringLike", variable: "bedrock:InferenceProfileArn", values: [arn] }
    return [
      { actions: INVOKE, resources: [arn] },
      { actions: INVOKE, resources: [`arn:aws:bedrock:*::foundation-model/${model}`], conditions: [through] },
    ]
  })
}

/** Returns the permissions of agents' runners to call Claude on Bedrock. Empty if agents may not use Bedrock. */
export function callBedrockForAgents(): Permission[] {
  return bedrock.forAgents ? callBedrock(claude.bedrockModels?.(bedrock.models)) : []
}

/** Returns the permissions to ask whether the account has access to the stage's Bedrock models, which costs nothing. */
export function describeBedrock(): Permission[] {
  if (bedrock.models.length === 0) return []
  const profiles = bedrock.models.filter(isInferenceProfile).map(arnOf)
  return [
    // This action can't be limited to specific models.
    { actions: ["bedrock:GetFoundationModelAvailability"], resources: ["*"] },
    ...(profiles.length > 0 ? [{ actions: ["bedrock:GetInferenceProfile"], resources: profiles }] : []),
  ]
}

function arnOf(name: string): $util.Input<string> {
  if (name.startsWith("arn:")) return name
  const region = bedrock.region ?? aws.getRegionOutput({}).region
  if (!isInferenceProfile(name)) return $interpolate`arn:aws:bedrock:${region}::foundation-model/${name}`
  const { accountId } = aws.getCallerIdentityOutput({})
  return $interpolate`arn:aws:bedrock:${region}:${accountId}:inference-profile/${name}`
}
