import type { AgentEvent } from "@switchyard/core/agents/clis/protocol"
import { vibe } from "@switchyard/core/agents/clis/vibe"
import { acp } from "@switchyard/core/agents/protocols/acp"
import { appServer } from "@switchyard/core/agents/protocols/app-server"
import { createLineSplitter } from "@switchyard/core/agents/protocols/line-splitter"
import { protocols } from "@switchyard/core/agents/protocols/protocols"
import { streamJson } from "@switchyard/core/agents/protocols/stream-json"
import { isOwnTool, toolUse } from "@switchyard/core/agents/protocols/tool-kinds"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const task = {
  prompt: "do it",
  root: "/project",
  cwd: "/project",
  home: "/home/anna",
  model: null,
  reasoning: null,
  resume: null,
}
const bytesOf = (...messages: object[]) =>
  Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(""))
const linesOf = (text: string) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line))

describe("lines", () => {
  it("are whole however they come, also from memory that is used again", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.nat(7), (texts, size) => {
        const wanted = texts.map((text) => text.replace(/[\r\n]/g, "").toWellFormed())
        const whole = Buffer.from(wanted.map((text) => `${text}\n`).join(""))
        const scratch = Buffer.alloc(size + 1)
        const lines = createLineSplitter()
        const heard: string[] = []
        for (let at = 0; at < whole.length; at += scratch.length) {
          const length = whole.copy(scratch, 0, at, at + scratch.length)
          heard.push(...lines.push(scratch.subarray(0, length)))
        }
        expect([...heard, ...lines.end()]).toEqual(wanted)
      }),
    )
  })

  it("need no end at the end, and hold no invalid text", () => {
    const lines = createLineSplitter()
    expect(lines.push(Buffer.from([0x61, 0xff, 0x0d, 0x0a, 0xe2, 0x82]))).toEqual(["a\ufffd"])
    expect(lines.end()).toEqual(["\ufffd"])
  })

  it("that are longer than any message are nothing, and those around them whole", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(12), { minLength: 1 }), fc.integer({ min: 1, max: 7 }), (sizes, piece) => {
        const lines = createLineSplitter(8)
        const whole = Buffer.from(sizes.map((size) => `${"x".repeat(size)}\n`).join(""))
        const pieces = Array.from({ length: Math.ceil(whole.length / piece) }, (_, at) => at * piece)
        const heard = pieces.flatMap((at) => lines.push(whole.subarray(at, at + piece)))
        expect([...heard, ...lines.end()]).toEqual(sizes.map((size) => (size > 8 ? "" : "x".repeat(size))))
      }),
    )
  })
})

describe("a resumed session of an ACP agent", () => {
  const resumed = { ...task, resume: "ses-1" }
  const update = (text: string) => ({
    method: "session/update",
    params: { update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } },
  })

  it("tells its past, which is not said again", () => {
    const dialogue = acp(resumed)
    dialogue.open()
    const opening = dialogue.parse(bytesOf({ id: 1, result: {} }))
    expect(linesOf(opening.send)).toMatchObject([{ method: "session/load", params: { sessionId: "ses-1" } }])
    expect(dialogue.parse(bytesOf(update("long ago"))).events).toEqual([])
    const loaded = dialogue.parse(bytesOf({ id: 2, result: {} }))
    expect(loaded.events).toEqual([{ type: "session", id: "ses-1", model: null }])
    expect(linesOf(loaded.send)).toMatchObject([{ method: "session/prompt" }])
    expect(dialogue.parse(bytesOf(update("now"))).events).toMatchObject([{ type: "text", text: "now" }])
  })

  it("that is gone is told as gone", () => {
    const dialogue = acp(resumed)
    dialogue.open()
    dialogue.parse(bytesOf({ id: 1, result: {} }))
    const { events } = dialogue.parse(bytesOf({ id: 2, error: { code: -32603, message: "Internal error" } }))
    expect(events).toMatchObject([{ type: "turn_failed", problem: { kind: "session_not_found" } }])
  })
})

it("says which folder Mistral Vibe couldn't read, and what to do", () => {
  const { protocol } = vibe.plan({ ...task, tools: undefined }, { apiKey: "k", baseUrl: null }, protocols)
  protocol.open()
  const { events } = protocol.parse(
    bytesOf(
      { id: 1, result: { agentInfo: { version: "3.0.3" } } },
      { id: 2, error: { code: -32603, message: "Layer 'project-toml': _check_trust() failed" } },
    ),
  )
  expect(events).toMatchObject([{ problem: { message: expect.stringContaining("readable for the agent's user") } }])
})

describe("what a person says while an agent works", () => {
  it("reaches Claude as a message, and ends no turn", () => {
    const dialogue = streamJson(task, { inputIncludesCacheRead: false, resumedUsageIsTotal: false })
    expect(linesOf(dialogue.encodeMessage?.("more") ?? "")).toMatchObject([
      { type: "user", message: { content: [{ text: "more" }] } },
    ])
  })

  it("is a prompt of its own for an ACP agent, whose turn ends with the last of them", () => {
    const dialogue = acp(task)
    dialogue.open()
    dialogue.parse(bytesOf({ id: 1, result: {} }, { id: 2, result: { sessionId: "s" } }))
    const [second] = linesOf(dialogue.encodeMessage?.("more") ?? "")
    expect(dialogue.parse(bytesOf({ id: 3, result: { stopReason: "end_turn" } })).events).toEqual([])
    const { events } = dialogue.parse(bytesOf({ id: second.id, result: { stopReason: "end_turn" } }))
    expect(events).toEqual([{ type: "turn_completed" }])
  })

  it("steers Codex's turn, or begins another where there is none", () => {
    const dialogue = appServer(task)
    dialogue.open()
    dialogue.parse(bytesOf({ id: 1, result: {} }, { id: 2, result: { thread: { id: "t" } } }))
    expect(linesOf(dialogue.encodeMessage?.("more") ?? "")).toMatchObject([{ method: "turn/start" }])
    dialogue.parse(bytesOf({ method: "turn/started", params: { turn: { id: "turn-1" } } }))
    expect(linesOf(dialogue.encodeMessage?.("more") ?? "")).toMatchObject([
      { method: "turn/steer", params: { expectedTurnId: "turn-1" } },
    ])
    expect(linesOf(dialogue.interrupt?.() ?? "")).toMatchObject([{ method: "turn/interrupt" }])
  })
})

describe("a permission that an agent asks for", () => {
  const stream = () => streamJson(task, { inputIncludesCacheRead: false, resumedUsageIsTotal: false })
  const input = { command: "ls" }
  const choice = (kind: string) => ({ optionId: kind, kind })
  const asks = {
    id: 0,
    method: "session/request_permission",
    params: {
      toolCall: { toolCallId: "bash__1", rawInput: input },
      options: [choice("allow_always"), choice("allow_once"), choice("reject_once")],
    },
  }
  const can = {
    type: "control_request",
    request_id: "r",
    request: { subtype: "can_use_tool", tool_name: "Bash", input },
  }
  const approval = { id: 4, method: "item/commandExecution/requestApproval", params: input }

  it.each([
    ["ACP", acp(task), asks, { id: 0, result: { outcome: { optionId: "allow_once" } } }],
    [
      "stream-json",
      stream(),
      can,
      { response: { request_id: "r", response: { behavior: "allow", updatedInput: input } } },
    ],
    ["app-server", appServer(task), approval, { id: 4, result: { decision: "accept" } }],
  ])("is answered over %s only when the driver says so, and once", (_protocol, dialogue, request, allowed) => {
    const { events, send } = dialogue.parse(bytesOf(request))
    expect(send).toBe("")
    const event = events.find(({ type }) => type === "permission_asked")
    if (event?.type !== "permission_asked") throw new Error("Nothing was asked.")
    expect(event.question).toMatchObject({ kind: "permission", tool: "bash", command: "ls" })
    expect(dialogue.encodeDecision?.("another", { effect: "allow" })).toBe("")
    expect(linesOf(dialogue.encodeDecision?.(event.id, { effect: "allow" }) ?? "")).toMatchObject([allowed])
    expect(dialogue.encodeDecision?.(event.id, { effect: "allow" })).toBe("")
  })

  it.each([
    ["ACP", acp(task), asks, { result: { outcome: { optionId: "reject_once" } } }],
    ["stream-json", stream(), can, { response: { response: { behavior: "deny" } } }],
    ["app-server", appServer(task), approval, { result: { decision: "decline" } }],
  ])("can be denied over %s", (_protocol, dialogue, request, denied) => {
    const { events } = dialogue.parse(bytesOf(request))
    const answers = events.flatMap((event) =>
      event.type === "permission_asked" ? linesOf(dialogue.encodeDecision?.(event.id, { effect: "deny" }) ?? "") : [],
    )
    expect(answers).toMatchObject([denied])
  })

  it("ends as denied over ACP if the agent doesn't report the end itself", () => {
    const started = () => {
      const dialogue = acp(task)
      dialogue.open()
      dialogue.parse(bytesOf({ id: 1, result: {} }, { id: 2, result: { sessionId: "s" } }, asks))
      dialogue.encodeDecision?.("0", { effect: "deny", reason: "A rule denies this." })
      return dialogue
    }
    const over = { id: 3, result: { stopReason: "end_turn" } }
    expect(started().parse(bytesOf(over)).events).toEqual([
      { type: "tool_finished", id: "bash__1", ok: false, exitCode: null, summary: "A rule denies this." },
      { type: "turn_completed" },
    ])
    const failed = { sessionUpdate: "tool_call_update", toolCallId: "bash__1", status: "failed" }
    const { events } = started().parse(bytesOf({ method: "session/update", params: { update: failed } }, over))
    expect(events).toMatchObject([{ type: "tool_finished", id: "bash__1", ok: false }, { type: "turn_completed" }])
  })

  it("is cancelled over ACP where the agent offers no such choice", () => {
    const dialogue = acp(task)
    dialogue.parse(bytesOf({ ...asks, params: { ...asks.params, options: [choice("allow_once")] } }))
    expect(linesOf(dialogue.encodeDecision?.("0", { effect: "deny" }) ?? "")).toMatchObject([
      { result: { outcome: { outcome: "cancelled" } } },
    ])
  })
})

describe("what an agent asks that nobody knows", () => {
  it.each([
    ["ACP", acp(task), { id: 7, method: "craft/drainMidTurnQueue", params: {} }],
    ["app-server", appServer(task), { id: 7, method: "item/tool/requestUserInput", params: {} }],
  ])("is refused over %s, so that it doesn't wait for ever", (_protocol, dialogue, request) => {
    dialogue.open()
    expect(linesOf(dialogue.parse(bytesOf(request)).send)).toMatchObject([{ id: 7, error: { code: -32601 } }])
  })
})

describe("Gemini", () => {
  it("says nothing of the mode that was chosen for it in the model's name", () => {
    const dialogue = acp(task, { mode: "yolo" })
    dialogue.open()
    const said = (text: string) => ({
      method: "session/update",
      params: { update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } },
    })
    dialogue.parse(bytesOf({ id: 1, result: {} }, { id: 2, result: { sessionId: "ses-1" } }))
    const { events } = dialogue.parse(
      bytesOf(said("[MODE_UPDATE] yolo"), said("Making one."), said(" [MODE_UPDATE] x")),
    )
    expect(events.map((event) => "text" in event && event.text)).toEqual(["Making one.", " [MODE_UPDATE] x"])
  })
})

describe("a command of Codex", () => {
  it.each([
    ["/bin/bash -lc ls", "ls"],
    ["/bin/bash -lc 'ls -l'", "ls -l"],
    [`/bin/bash -lc 'it'\\''s'`, "it's"],
    ['/bin/zsh -lc "echo \\"hi\\" \\$HOME"', 'echo "hi" $HOME'],
    [
      `/bin/bash -lc "printf 'latin\\\\n' > "'"$(printf '"'caf\\\\351.txt')\\""`,
      `printf 'latin\\n' > "$(printf 'caf\\351.txt')"`,
    ],
    [`/bin/bash -lc "echo 'a'\n  echo b"`, "echo 'a'\n  echo b"],
    [`/bin/bash -lc 'no end`, `/bin/bash -lc 'no end`],
    ["/bin/bash -lc ls extra", "/bin/bash -lc ls extra"],
    ["git status", "git status"],
  ])("is shown as it would be typed: %s", (command, shown) => {
    const item = { type: "commandExecution", id: "item", command }
    const { events } = appServer(task).parse(bytesOf({ method: "item/started", params: { item } }))
    expect(events).toMatchObject([{ type: "tool_started", command: shown }])
  })

  it("is what a shell makes of it, whatever stands in it", () => {
    const quote = fc.constantFrom(
      (text: string) => `'${text.replaceAll("'", `'\\''`)}'`,
      (text: string) => `"${text.replace(/["\\$`]/g, "\\$&")}"`,
    )
    const piece = fc.tuple(fc.string({ unit: fc.constantFrom(..."a '\"\\$`\n") }), quote)
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1 }), (pieces) => {
        const script = pieces.map(([text]) => text).join("")
        fc.pre(script !== "")
        const item = {
          type: "commandExecution",
          command: `/bin/sh -lc ${pieces.map(([text, as]) => as(text)).join("")}`,
        }
        const { events } = appServer(task).parse(bytesOf({ method: "item/started", params: { item } }))
        expect(events).toMatchObject([{ type: "tool_started", command: script }])
      }),
    )
  })
})

describe("the failure of an agent", () => {
  it("is no HTTP status where ACP's code is 500, which agents say of whatever went wrong", () => {
    const end = (error: object) => {
      const dialogue = acp(task)
      dialogue.open()
      dialogue.parse(bytesOf({ id: 1, result: {} }, { id: 2, result: { sessionId: "ses-1" } }))
      return dialogue.parse(bytesOf({ id: 3, error })).events
    }
    const failed = (kind: string) => [{ type: "turn_failed", problem: { kind } }]
    expect(end({ code: 500, message: "terminated" })).toMatchObject(failed("network"))
    expect(end({ code: 500, message: "Internal error: Connection reset by server" })).toMatchObject(failed("network"))
    expect(end({ code: 500, message: "Internal error" })).toMatchObject(failed("overloaded"))
    expect(end({ code: 503, message: "terminated" })).toMatchObject(failed("overloaded"))
    expect(end({ code: 429, message: "Slow down." })).toMatchObject(failed("rate_limited"))
  })

  it("ends, if it is a limit of Codex, when the last window that is used up begins anew", () => {
    const ended = (primary: object, secondary: object) => {
      const dialogue = appServer(task)
      const error = { message: "You've hit your usage limit.", codexErrorInfo: "usageLimitExceeded" }
      const { events } = dialogue.parse(
        bytesOf(
          { method: "account/rateLimits/updated", params: { rateLimits: { primary, secondary } } },
          { method: "turn/completed", params: { turn: { status: "failed", error } } },
        ),
      )
      const end = events.find(({ type }) => type === "turn_failed")
      return end?.type === "turn_failed" ? end.problem : undefined
    }
    const five = { usedPercent: 100, windowDurationMins: 300, resetsAt: 1795302508 }
    const week = { usedPercent: 40, windowDurationMins: 10080, resetsAt: 1795367308 }
    expect(ended(five, week)).toMatchObject({ kind: "quota_exhausted", resets_at: "2026-11-21T23:08:28.000Z" })
    expect(ended(five, { ...week, usedPercent: 100 })?.resets_at).toBe("2026-11-22T17:08:28.000Z")
    expect(ended({ ...five, usedPercent: 99 }, week)?.resets_at).toBeUndefined()
  })
})

describe("a list of what an agent means to do", () => {
  const wanted = [
    { text: "read", status: "completed" },
    { text: "write", status: "in_progress" },
    { text: "test", status: "pending" },
  ]

  it("is the same from every program, whatever its own words are", () => {
    const todos = [
      { content: "read", status: "completed", id: "1" },
      { content: "write", status: "in_progress", activeForm: "writing" },
      { content: "test", status: "pending" },
    ]
    const toolUse = (name: string) => ({ type: "tool_use", id: "t", name, input: { todos } })
    for (const name of ["TodoWrite", "todo_write"]) {
      const said = { type: "assistant", message: { id: "m", content: [toolUse(name)] } }
      const dialect = { inputIncludesCacheRead: false, resumedUsageIsTotal: false }
      expect(streamJson(task, dialect).parse(bytesOf(said)).events).toEqual([{ type: "todos", todos: wanted }])
    }
    const plan = [
      { step: "read", status: "completed" },
      { step: "write", status: "inProgress" },
      { step: "test", status: "pending" },
    ]
    const updated = { method: "turn/plan/updated", params: { threadId: "t", turnId: "u", explanation: null, plan } }
    expect(appServer(task).parse(bytesOf(updated)).events).toEqual([{ type: "todos", todos: wanted }])
    const entries = todos.map(({ content, status }) => ({ content, status, priority: "medium" }))
    const update = { method: "session/update", params: { update: { sessionUpdate: "plan", entries } } }
    expect(acp(task).parse(bytesOf(update)).events).toEqual([{ type: "todos", todos: wanted }])
  })

  it("takes whatever a model makes of it", () => {
    const lists = [{ todos: 7 }, { todos: " " }, { todos: [null, 7, { content: 1 }, { content: " " }] }, {}]
    for (const input of lists) {
      const block = { type: "tool_use", id: "t", name: "TodoWrite", input }
      const said = { type: "assistant", message: { id: "m", content: [block] } }
      const dialect = { inputIncludesCacheRead: false, resumedUsageIsTotal: false }
      expect(streamJson(task, dialect).parse(bytesOf(said)).events).toEqual([{ type: "todos", todos: [] }])
    }
  })
})

describe("a list of what an agent means to do, as text", () => {
  const dialect = { inputIncludesCacheRead: false, resumedUsageIsTotal: false }
  const todosIn = (todos: unknown) => {
    const block = { type: "tool_use", id: "t", name: "TodoWrite", input: { todos } }
    return streamJson(task, dialect).parse(bytesOf({ type: "assistant", message: { id: "m", content: [block] } }))
      .events
  }

  it.each([
    ["names of the steps", ["read", "write"]],
    ["a list in JSON", JSON.stringify([{ content: "read" }, { content: "write" }])],
    ["lines", "read\nwrite\n"],
    ["a Markdown list", "1. read\n2. write"],
  ])("may be %s", (_kind, todos) => {
    const steps = [
      { text: "read", status: "pending" },
      { text: "write", status: "pending" },
    ]
    expect(todosIn(todos)).toEqual([{ type: "todos", todos: steps }])
  })

  it("may mark its steps", () => {
    expect(todosIn("- [x] read\n- [~] write\n- [ ] test")).toEqual([
      {
        type: "todos",
        todos: [
          { text: "read", status: "completed" },
          { text: "write", status: "in_progress" },
          { text: "test", status: "pending" },
        ],
      },
    ])
  })

  it("may change one step at a time", () => {
    const protocol = streamJson(task, dialect)
    let uses = 0
    const used = (name: string, input: object, content: string, is_error = false) => {
      const id = `t${++uses}`
      const said = { type: "assistant", message: { id: "m", content: [{ type: "tool_use", id, name, input }] } }
      expect(protocol.parse(bytesOf(said)).events).toEqual([])
      const result = { type: "tool_result", tool_use_id: id, content, is_error }
      const [event] = protocol.parse(bytesOf({ type: "user", message: { role: "user", content: [result] } })).events
      return event?.type === "todos" ? event.todos.map(({ text, status }) => `${text}: ${status}`) : event
    }
    used("TaskCreate", { subject: "Read", description: "All of it" }, "Task #1 created successfully: Read")
    expect(used("TaskCreate", { subject: "Write" }, "Task #2 created successfully: Write")).toEqual([
      ...["Read: pending", "Write: pending"],
    ])
    used("TaskUpdate", { taskId: "1", status: "completed" }, "Updated task #1 status")
    expect(used("TaskUpdate", { taskId: "2", status: "in_progress", subject: "Write more" }, "Updated")).toEqual([
      ...["Read: completed", "Write more: in_progress"],
    ])
    expect(used("TaskUpdate", { taskId: "9", status: "completed" }, "Task not found", true)).toHaveLength(2)
    expect(used("TaskUpdate", { taskId: "1", status: "deleted" }, "Updated")).toEqual(["Write more: in_progress"])
    expect(used("TaskList", {}, "#2 [completed] Write more\n#3. [pending] Test")).toEqual([
      ...["Write more: completed", "Test: pending"],
    ])
  })
})

describe("a tool of the product's own", () => {
  it.each([
    ["mcp__switchyard__ask_agent", "mcp", "switchyard"],
    ["mcp_switchyard_ask_agent", "mcp", "switchyard"],
    ["mcp_switchyard.ask_agent", "mcp", "switchyard"],
    ["switchyard_ask_agent", "mcp", "switchyard"],
    ["mcp_other.ask", "mcp", "other"],
    ["mcp__other__ask", "mcp", "other"],
    ["switchyard", "other", undefined],
    ["my_switchyard_tool", "other", undefined],
  ])("is told by the name that each program gives it: %s", (name, tool, server) => {
    expect(toolUse(name, {}, task)).toEqual({ tool, name, ...(server && { server }) })
    expect(isOwnTool(name)).toBe(server === "switchyard")
  })

  it("is named as itself where Qwen calls it through another", () => {
    const through = (name: string, args: object) => toolUse("tool_call", { name, arguments: args }, task)
    expect(through("mcp__switchyard__list_agents", {})).toEqual(toolUse("mcp__switchyard__list_agents", {}, task))
    expect(through("run_shell_command", { command: "ls" })).toMatchObject({ tool: "bash", command: "ls" })
    const deeper = { name: "run_shell_command", arguments: { command: "ls" } }
    expect(through("tool_call", deeper)).toMatchObject({ tool: "other", name: "tool_call" })
  })
})

describe("the usage of an agent", () => {
  const counts = (inputTokens: number, outputTokens: number) => {
    return { inputTokens, cachedInputTokens: 10, cacheWriteInputTokens: 0, outputTokens }
  }
  const updated = (total: object, last: object, threadId = "thread") => {
    return { method: "thread/tokenUsage/updated", params: { threadId, tokenUsage: { total, last } } }
  }
  const started = { method: "turn/started", params: { turn: { id: "turn" } } }
  const completed = { method: "turn/completed", params: { turn: { status: "completed" } } }
  const usedIn = (events: AgentEvent[]) => events.flatMap((event) => (event.type === "usage" ? [event.usage] : []))

  it("is told by Codex as it comes: that of the turn so far, also where a report comes again or is of earlier turns", () => {
    const { events } = appServer({ ...task, resume: "thread" }).parse(
      bytesOf(
        updated(counts(900, 90), counts(500, 50)),
        started,
        updated(counts(900, 90), counts(500, 50)),
        updated(counts(1000, 100), counts(100, 10)),
        updated(counts(1000, 100), counts(100, 10)),
        updated({ ...counts(1300, 120), cachedInputTokens: 60 }, counts(300, 20)),
        completed,
      ),
    )
    const first = { input: 100, cache_read: 0, cache_write: 0, output: 10 }
    const second = { input: 350, cache_read: 50, cache_write: 0, output: 30 }
    expect(usedIn(events)).toEqual([first, second])
    expect(events.at(-1)).toEqual({ type: "turn_completed" })
  })

  it("is what Codex and its helpers use together", () => {
    const { events } = appServer(task).parse(
      bytesOf(
        started,
        updated(counts(100, 10), counts(100, 10)),
        updated(counts(50, 5), counts(50, 5), "helper"),
        updated(counts(70, 7), counts(20, 2), "helper"),
      ),
    )
    expect(usedIn(events).map(({ output }) => output)).toEqual([10, 15, 17])
  })

  it("is told by Claude after each answer that a tool was called in, and at the end", () => {
    const said = (id: string, output_tokens: number, block: object) => {
      const usage = { input_tokens: 100, cache_read_input_tokens: 7, cache_creation_input_tokens: 0, output_tokens }
      return { type: "assistant", message: { id, content: [block], usage } }
    }
    const use = { type: "tool_use", id: "t", name: "Bash", input: { command: "true" } }
    const result = { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t", content: "" }] } }
    const { events } = streamJson(task, { inputIncludesCacheRead: false, resumedUsageIsTotal: false }).parse(
      bytesOf(
        said("one", 1, { type: "text", text: "I do this." }),
        said("one", 9, use),
        result,
        result,
        said("two", 5, use),
        result,
        { type: "result", usage: { input_tokens: 300, output_tokens: 20 }, result: "Done." },
      ),
    )
    expect(usedIn(events).map(({ input, output }) => [input, output])).toEqual([
      [100, 9],
      [200, 14],
      [300, 20],
    ])
    const types = events.map(({ type }) => type)
    expect(types.slice(0, 5)).toEqual(["text", "tool_started", "usage", "context", "tool_finished"])
  })
})

describe("the room of a conversation", () => {
  const told = (events: AgentEvent[]) =>
    events.flatMap((event) => (event.type === "context" ? [[event.usedTokens, event.windowTokens]] : []))

  it("is told by Codex after each answer in a turn, and not that of its helpers or of earlier turns", () => {
    const updated = (totalTokens: number, threadId = "thread") => {
      const tokenUsage = { total: { inputTokens: 9000 }, last: { totalTokens }, modelContextWindow: 258_400 }
      return { method: "thread/tokenUsage/updated", params: { threadId, tokenUsage } }
    }
    const started = { method: "turn/started", params: { turn: { id: "turn" } } }
    const { events } = appServer({ ...task, resume: "thread" }).parse(
      bytesOf(updated(800), started, updated(1000), updated(70, "helper"), updated(1200)),
    )
    expect(told(events)).toEqual([
      [1000, 258_400],
      [1200, 258_400],
    ])
  })

  it("is told by Claude after each answer of its own, and its size once a turn has ended", () => {
    const said = (id: string, read: number, parent_tool_use_id: string | null = null, model = "big") => {
      const usage = {
        input_tokens: 100,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: 0,
        output_tokens: 1,
      }
      return { type: "assistant", parent_tool_use_id, message: { id, model, content: [], usage } }
    }
    const result = { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t", content: "" }] } }
    const modelUsage = { small: { contextWindow: 200_000 }, "big[1m]": { contextWindow: 1_000_000 } }
    const { events } = streamJson(task, { inputIncludesCacheRead: false, resumedUsageIsTotal: false }).parse(
      bytesOf(
        said("one", 1000),
        result,
        said("two", 2000),
        said("helper", 50, "t", "small"),
        result,
        said("three", 3000),
        { type: "result", usage: { input_tokens: 300, output_tokens: 20 }, modelUsage, result: "Done." },
        said("four", 500),
        result,
      ),
    )
    expect(told(events)).toEqual([
      [1101, null],
      [2101, null],
      [3101, 1_000_000],
      [601, 1_000_000],
    ])
  })
})
