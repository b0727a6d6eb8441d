import { loadConfig } from "@switchyard/functions/config"
import { Env } from "@switchyard/functions/environment"
import {
  NOT_ON_A_STAGE,
  parseStageSettings,
  STAGE_MODEL_KEYS,
  STAGE_SEARCH_KEYS,
  STAGE_SETTINGS,
} from "@switchyard/functions/stage-settings"
import { describe, expect, it } from "vitest"

describe("the settings of a stage", () => {
  it("are those of the local server, but for the ones that are listed with a reason", () => {
    const keys = [...Object.keys(STAGE_MODEL_KEYS), ...Object.keys(STAGE_SEARCH_KEYS)]
    const all = [...STAGE_SETTINGS, ...keys, ...Object.keys(NOT_ON_A_STAGE)]
    expect(all.sort()).toEqual(Object.keys(Env.shape).sort())
  })

  it("are refused by the deployment if they are invalid, by name", () => {
    expect(() => parseStageSettings({ WORKFLOW_FILES_AT_ONCE: "many" })).toThrow("WORKFLOW_FILES_AT_ONCE: ")
    expect(() => parseStageSettings({ BEDROCK_MODELS: "bedrock/x" })).toThrow('BEDROCK_MODELS: Leave out "bedrock/"')
    const settings = { MODEL_FALLBACKS: "anthropic/claude-sonnet-5", WORKFLOW_REVIEW: "off" }
    expect(parseStageSettings(settings)).toMatchObject({ WORKFLOW_REVIEW: false })
  })

  it.each([
    ["BEDROCK_MODELS", "amazon.nova-pro-v1:0,us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0"],
    ["BEDROCK_MODELS", "arn:aws-us-gov:bedrock:us-gov-west-1:123456789012:application-inference-profile/a1b2"],
    ["BEDROCK_REGION", "us-gov-west-1"],
  ])("refuse a partition of AWS in which a stage can't be (%s=%s)", (name, value) => {
    expect(() => parseStageSettings({ [name]: value })).toThrow(new RegExp(`^${name}: .* GovCloud`))
    // A server on a machine can use GovCloud.
    expect(() => loadConfig({ BEDROCK_REGION: "us-gov-west-1", [name]: value })).not.toThrow()
  })
})
