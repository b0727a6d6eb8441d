import { responseEvents } from "@switchyard/core/models/openai-responses"
import { toModelError } from "@switchyard/core/models/provider-error"
import { describe, expect, it } from "vitest"

/** Returns the result of a response's events. The events contain only the fields that are read. */
async function fold(...events: object[]) {
  async function* stream() {
    yield* events
  }
  return Array.fromAsync(responseEvents(stream() as Parameters<typeof responseEvents>[0]))
}

const completed = { type: "response.completed", response: { usage: null } }
const done = (item: object) => ({ type: "response.output_item.done", output_index: 0, item })
const incomplete = (reason: string) => ({ type: "response.incomplete", response: { incomplete_details: { reason } } })

describe("the events of a response", () => {
  it("may be unknown, or say nothing", async () => {
    const delta = (text: string) => ({ type: "response.output_text.delta", delta: text })
    const events = await fold({ type: "response.hologram.delta", delta: 3 }, delta(""), delta("Hello."), completed)
    expect(events.map((event) => (event.type === "text" ? event.text : event.type))).toEqual(["Hello.", "usage", "end"])
  })

  it.each([
    [{ type: "error", code: "rate_limit_exceeded", message: "Slow down." }, "rate_limit"],
    [{ type: "response.failed", response: { error: { code: "server_error", message: "Oh." } } }, "connection_error"],
    [{ type: "response.failed", response: { error: null } }, "provider_error"],
    [{ type: "response.in_progress" }, "connection_error"],
  ])("fail with the reason that they give (%j)", async (event, errorType) => {
    const error = await fold(event).catch((thrown) => thrown)
    const call = { provider: "openai", model: "gpt", apiKey: "", now: () => 0 }
    expect(toModelError(error, call)).toMatchObject({ errorType })
  })

  it("hand on a call that the limit cut", async () => {
    const call = { type: "function_call", call_id: "c", name: "look", arguments: '{"at":', status: "incomplete" }
    expect(await fold(done(call), incomplete("max_output_tokens"))).toMatchObject([
      { type: "tool_call", call: { args: undefined, rawArguments: '{"at":' } },
      { type: "usage" },
      { type: "end", stopReason: "max_tokens" },
    ])
  })

  it("tell the reason of a refusal, and none of a filter's", async () => {
    const message = { type: "message", content: [{ type: "refusal", refusal: "I can't." }] }
    expect((await fold(done(message), completed)).at(-1)).toMatchObject({ stopReason: "refusal", reason: "I can't." })
    const filtered = (await fold(incomplete("content_filter"))).at(-1)
    expect(filtered).toMatchObject({ stopReason: "refusal" })
    expect(filtered).not.toHaveProperty("reason")
  })
})
