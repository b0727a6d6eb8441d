import { expect, it } from "vitest"
import { ApiError } from "../../../../packages/web/src/api/client.ts"
import { refusalOf } from "../../../../packages/web/src/features/home/agent-refusal.ts"

const refused = (code: string, details = {}, repository = "/shop") =>
  refusalOf(new ApiError(422, code, "No.", details), repository).about

it("says beside which field a refused task is wrong", () => {
  expect(refused("consent_required")).toBe("consent")
  expect(refused("account_not_found")).toBe("agent")
  expect(refused("task_invalid", { coding_agent: "claude" })).toBe("agent")
  expect(refused("task_invalid")).toBe("repository")
})

it("blames no field for what isn't about one", () => {
  expect(refused("task_invalid", {}, "")).toBe("all")
  expect(refused("internal_error")).toBe("all")
  expect(refusalOf(new TypeError("Failed to fetch"), "/shop")).toMatchObject({ about: "all" })
})
