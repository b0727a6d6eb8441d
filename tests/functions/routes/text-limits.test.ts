import { type LimitedText, TEXT_LIMITS } from "@switchyard/core/text/text-limits-schema"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startServer, type TestServer } from "../server.ts"

let server: TestServer
let session: string
beforeAll(async () => {
  server = await startServer()
  session = (await server.call("POST", "/api/v1/sessions", { json: {} })).body.id
})
afterAll(() => server.close())

const at = (path: string) => `/api/v1/sessions/${session}${path}`
const agent = { coding_agent: "mock" }

describe("a text that is too long", () => {
  it.each<[LimitedText, string, string, () => string, (text: string) => object]>([
    ["prompt", "user_prompt", "POST", () => "/v1/runs", (user_prompt) => ({ user_prompt })],
    ["prompt", "user_prompt", "POST", () => "/generate", (user_prompt) => ({ user_prompt })],
    ["prompt", "user_prompt", "POST", () => "/v1/workflows/stream", (user_prompt) => ({ user_prompt })],
    ["prompt", "task_description", "POST", () => at("/tasks"), (task_description) => ({ task_description, ...agent })],
    [
      ...(["prompt", "override_prompt", "POST", () => at("/tasks")] as const),
      (override_prompt) => ({ task_description: "Do.", override_prompt, ...agent }),
    ],
    ["prompt", "message", "POST", () => at("/chat"), (message) => ({ message })],
    ["message", "content", "POST", () => at("/messages"), (content) => ({ content })],
    ["message", "content", "POST", () => at("/agents/main/messages"), (content) => ({ content })],
    ["message", "prompt", "POST", () => at("/agents"), (prompt) => ({ name: "other", prompt, ...agent })],
    ["message", "commit_message", "POST", () => at("/worktree/merge"), (commit_message) => ({ commit_message })],
    ["goal", "goal", "POST", () => "/api/v1/teams", (goal) => ({ goal })],
    ["answer", "text", "POST", () => at("/questions/q_1/answer"), (text) => ({ choice: "deny", text })],
  ])("is refused as one, with its limit: a %s as %s of %s %o", async (kind, field, method, path, bodyOf) => {
    const most = TEXT_LIMITS[kind]
    const { status, body } = await server.call(method, path(), { json: bodyOf("x".repeat(most + 1)) })
    const message = `It is longer than ${most.toLocaleString("en")} characters.`
    expect([status, body.error.code, body.error.details.errors]).toEqual([
      ...[422, "validation_error", [{ field, message, code: "too_big" }]],
    ])
    const fits = await server.call(method, path(), { json: bodyOf(" ".repeat(most)) })
    expect(fits.text).not.toContain("longer than")
  })
})
