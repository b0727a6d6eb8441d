import type { AgentEvent } from "@switchyard/core/agents/clis/protocol"
import { createRendering } from "@switchyard/core/agents/conversations/rendering"
import { createTranscript } from "@switchyard/core/agents/conversations/transcript"
import { SessionEvent } from "@switchyard/core/events"
import { describe, expect, it } from "vitest"
import { listen, recordings } from "../clis/recordings.ts"

const transcriptOf = (events: AgentEvent[]) => {
  const transcript = createTranscript({ cli: "claude", now: () => 0 })
  return { transcript, logged: [...events.flatMap((event) => transcript.take(event)), ...transcript.close()] }
}

describe.each(recordings)("the transcript of $name", (recording) => {
  const { events } = listen(recording, [recording.stdout])
  const { logged } = transcriptOf(events)

  it("is made of events that the log knows", () => {
    for (const event of logged) expect(SessionEvent.parse(event)).toEqual(event)
  })

  it("finishes every tool that it starts, once", () => {
    const ids = (type: string) =>
      logged.flatMap((e) => ("tool_call_id" in e && e.type === type ? [e.tool_call_id] : []))
    expect(ids("tool_call_finished").sort()).toEqual(ids("tool_call_started").sort())
  })

  it("says everything that was said, in order", () => {
    const said = events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join("")
    const blocks = logged.flatMap((e) => (e.type === "assistant_message" && Array.isArray(e.blocks) ? e.blocks : []))
    expect(blocks.map(({ content }) => content).join("")).toBe(said)
  })
})

describe("a transcript", () => {
  const text = (content: string, message = "m"): AgentEvent => ({ type: "text", text: content, message })

  it("gathers what is said in pieces until something else happens", () => {
    const { logged } = transcriptOf([text("one "), text("two"), text("three", "n"), { type: "notice", text: "x" }])
    expect(logged.map(({ type }) => type)).toEqual(["assistant_message", "assistant_message", "agent_notice"])
  })

  it("shows no half of a character", () => {
    let now = 0
    const transcript = createTranscript({ cli: "claude", now: () => (now += 1000) })
    const shown = ["a\ud83d", "\ude00b", "c"].flatMap((piece) => transcript.take(text(piece)))
    expect(shown).toMatchObject([
      { type: "model_text", text: "a😀b" },
      { type: "model_text", text: "c" },
    ])
  })

  it("finds the summary in a message that came in pieces", () => {
    const { transcript } = transcriptOf([text('{"change_'), text('summary":"a"}')])
    expect(transcript.summary?.change_summary).toBe("a")
  })

  it("tells the room of a conversation once for each hundredth of it, and when its size is known", () => {
    const filled = (usedTokens: number, windowTokens: number | null): AgentEvent => {
      return { type: "context", usedTokens, windowTokens }
    }
    const sizes = [filled(10_000, null), filled(11_000, null), filled(11_000, 100_000), filled(11_900, 100_000)]
    const { logged } = transcriptOf([...sizes, filled(12_000, 100_000), filled(4000, 100_000)])
    const used = logged.map((event) => event.type === "agent_context" && event.used_tokens)
    expect(used).toEqual([10_000, 11_000, 12_000, 4000])
  })

  it("remembers that the program asks again only until it gets on", () => {
    const retrying: AgentEvent = { type: "retrying", problem: { kind: "rate_limited", message: "429" } }
    expect(transcriptOf([retrying]).transcript.retrying).toBeDefined()
    expect(transcriptOf([retrying, text("on it goes")]).transcript.retrying).toBeUndefined()
  })
})

describe("what a person reads", () => {
  it("lets no sequence of a model's reach the terminal", () => {
    const rendering = createRendering()
    const evil = "\u001b]0;title\u0007\u001b[2J\u009b31m\u0000hello"
    const shown = [
      rendering.render({ type: "text", text: evil, message: "m" }),
      rendering.render({ type: "tool_started", id: "t", tool: "bash", name: "Bash", command: evil }),
      rendering.render({ type: "turn_failed", problem: { kind: "unknown", message: evil } }),
    ].join("")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what may remain
    expect(shown.replace(/\u001b\[\d*m/g, "")).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/)
  })

  it("begins a new line for a new message", () => {
    const rendering = createRendering()
    rendering.render({ type: "text", text: "one", message: "m" })
    expect(rendering.render({ type: "text", text: "two", message: "n" })).toMatch(/^\r\n/)
  })
})
