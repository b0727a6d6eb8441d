import { Env } from "@switchyard/functions/environment"
import {
  NOT_ON_A_STAGE,
  requireValid,
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
    expect(() => requireValid({ WORKFLOW_FILES_AT_ONCE: "many" })).toThrow("WORKFLOW_FILES_AT_ONCE: ")
    expect(() => requireValid({ BEDROCK_MODELS: "bedrock/x" })).toThrow('BEDROCK_MODELS: Leave out "bedrock/"')
    expect(() => requireValid({ MODEL_FALLBACKS: "anthropic/claude-sonnet-5", WORKFLOW_REVIEW: "off" })).not.toThrow()
  })
})
