import type { Protocol } from "@switchyard/core/agents/clis/protocol"
import { decidePermission } from "@switchyard/core/agents/permissions/decide"
import type { PermissionRequest, PermissionRule } from "@switchyard/core/agents/permissions/schema"
import { acp } from "@switchyard/core/agents/protocols/acp"
import { appServer } from "@switchyard/core/agents/protocols/app-server"
import { streamJson } from "@switchyard/core/agents/protocols/stream-json"
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
const ofClaude = () => streamJson(task, { inputIncludesCacheRead: false, resumedUsageIsTotal: false })

/** Returns the permission request that these messages lead to. */
function asked(protocol: Protocol, ...messages: object[]): PermissionRequest {
  protocol.open()
  const bytes = Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(""))
  const found = protocol
    .parse(bytes)
    .events.flatMap((event) => (event.type === "permission_asked" ? [event.question] : []))
  if (found[0]?.kind !== "permission") throw new Error("Nothing was asked.")
  const { kind: _kind, ...request } = found[0]
  return request
}

const announced = (sessionUpdate: "tool_call" | "tool_call_update", call: object) => ({
  method: "session/update",
  params: { update: { sessionUpdate, toolCallId: "call-1", ...call } },
})
const requested = (call: object = {}) => ({
  id: 7,
  method: "session/request_permission",
  params: { toolCall: { toolCallId: "call-1", ...call }, options: [] },
})
const ofCodex = (what: string, params: object, item?: object) => [
  ...(item ? [{ method: "item/started", params: { item: { id: "item-1", ...item } } }] : []),
  { id: 7, method: `item/${what}/requestApproval`, params: { itemId: "item-1", ...params } },
]
const ofClaudes = (tool_name: unknown, input: unknown) => ({
  type: "control_request",
  request_id: "r1",
  request: { subtype: "can_use_tool", tool_name, input },
})

describe("a request of an ACP agent that names only a call", () => {
  it.each<[string, object[], PermissionRequest]>([
    [
      "the command of Vibe, whose arguments are JSON",
      [
        announced("tool_call", { title: "bash", kind: "execute", _meta: { tool_name: "bash" } }),
        announced("tool_call", { title: "bash: rm -f q", kind: "execute", rawInput: '{"command":"rm -f q"}' }),
      ],
      { tool: "bash", name: "bash", command: "rm -f q" },
    ],
    [
      "the file and the change",
      [
        announced("tool_call", { title: "Writing", kind: "edit", locations: [{ path: "/project/a.ts" }] }),
        announced("tool_call_update", {
          content: [{ type: "diff", path: "/project/b.ts", oldText: "1", newText: "2" }],
        }),
      ],
      { tool: "edit", name: "edit", paths: ["b.ts", "a.ts"], diff: "-1\n+2" },
    ],
    [
      "what an update adds, and not what it leaves out",
      [
        announced("tool_call", { title: "read_file", kind: "read", rawInput: { path: "/etc/passwd" } }),
        announced("tool_call_update", { rawInput: {}, locations: [], title: "" }),
      ],
      { tool: "read", name: "read_file", paths: ["/etc/passwd"] },
    ],
    [
      "both files of a move",
      [
        announced("tool_call", {
          kind: "move",
          title: "Move",
          locations: [{ path: "/project/a" }, { path: "/etc/b" }],
        }),
      ],
      { tool: "edit", name: "move", paths: ["a", "/etc/b"] },
    ],
  ])("has %s", (_what, before, request) => {
    expect(asked(acp(task), ...before, requested())).toEqual(request)
  })

  it("has nothing of another call, or of one that has ended", () => {
    const other = announced("tool_call", { toolCallId: "call-2", kind: "execute", rawInput: { command: "ls" } })
    const ended = announced("tool_call_update", { status: "completed", rawInput: { command: "ls" }, kind: "execute" })
    expect(asked(acp(task), other, ended, requested({ kind: "execute" }))).toEqual({ tool: "bash", name: "execute" })
  })
})

const about: PermissionRule[] = [
  { tool: "bash", command: "rm", effect: "deny" },
  { tool: "any", path: "secrets/**", effect: "deny" },
]
const all: PermissionRule = { tool: "any", effect: "allow" }

describe("a request that doesn't say what a rule needs", () => {
  it.each<[string, PermissionRequest]>([
    ["an ACP call that was never announced", asked(acp(task), requested())],
    ["an ACP command without its text", asked(acp(task), requested({ kind: "execute", title: "Run a command" }))],
    ["an ACP read without a path", asked(acp(task), requested({ kind: "read", title: "Read" }))],
    ["an ACP edit without a path", asked(acp(task), requested({ kind: "edit", title: "Edit" }))],
    ["an ACP deletion without a path", asked(acp(task), requested({ kind: "delete" }))],
    ["an unknown kind of ACP's", asked(acp(task), requested({ kind: "frob", title: "Frob" }))],
    ["ACP arguments that aren't JSON", asked(acp(task), requested({ kind: "execute", rawInput: '{"command":' }))],
    [
      "ACP arguments that are no object",
      asked(acp(task), requested({ kind: "edit", rawInput: ["a"], locations: [{ path: "a" }] })),
    ],
    ["a command of Codex that isn't known", asked(appServer(task), ...ofCodex("commandExecution", {}))],
    ["changes of Codex that aren't known", asked(appServer(task), ...ofCodex("fileChange", { grantRoot: "/" }))],
    ["an unknown request of Codex", asked(appServer(task), ...ofCodex("permissions", { permissions: {} }))],
    ["Claude's Bash without a command", asked(ofClaude(), ofClaudes("Bash", {}))],
    ["Claude's Bash whose command is no text", asked(ofClaude(), ofClaudes("Bash", { command: ["rm", "-f", "q"] }))],
    ["Claude's Read without a path", asked(ofClaude(), ofClaudes("Read", {}))],
    ["Claude's Write without arguments", asked(ofClaude(), ofClaudes("Write", null))],
    ["a tool that isn't known", asked(ofClaude(), ofClaudes("Monitor", { command: "rm -f q" }))],
    ["a tool without a name", asked(ofClaude(), ofClaudes(undefined, {}))],
    [
      "a command that is too long to show",
      asked(ofClaude(), ofClaudes("Bash", { command: `echo ${"a".repeat(20_000)}; rm -f q` })),
    ],
  ])("is asked about: %s", (_what, request) => {
    expect(decidePermission({ mode: "bypass", rules: [...about, all] }, request)).toEqual({ effect: "ask" })
    expect(decidePermission({ mode: "accept_edits", rules: [] }, request)).toEqual({ effect: "ask" })
    expect(decidePermission({ mode: "plan", rules: [] }, request).effect).toBe("deny")
  })

  it.each<[string, PermissionRequest]>([
    ["ACP's title is no command", asked(acp(task), requested({ kind: "execute", title: "ls" }))],
    ["a path in a list is a path", asked(ofClaude(), ofClaudes("Glob", { pattern: "/etc/**" }))],
    ["a folder by another name is a path", asked(ofClaude(), ofClaudes("list_directory", { dir_path: "/etc" }))],
  ])("isn't taken for another: %s", (_what, request) => {
    expect(
      decidePermission({ mode: "ask", rules: [{ tool: "bash", command: "ls", effect: "allow" }] }, request),
    ).toEqual({ effect: "ask" })
  })
})

it("is Gemini's command, which is its title", () => {
  const request = requested({ toolCallId: "run_shell_command__1", kind: "execute", title: "rm -f q" })
  expect(asked(acp(task), request)).toEqual({ tool: "bash", name: "run_shell_command", command: "rm -f q" })
})

it("is complete where Codex has announced it", () => {
  const command = { type: "commandExecution", command: "/bin/bash -lc 'rm -f q'" }
  expect(asked(appServer(task), ...ofCodex("commandExecution", {}, command))).toMatchObject({ command: "rm -f q" })
  const changes = {
    type: "fileChange",
    changes: [
      { path: "/project/a", kind: "add", diff: "x" },
      { path: "/etc/b", kind: "add", diff: "y" },
    ],
  }
  expect(asked(appServer(task), ...ofCodex("fileChange", {}, changes))).toMatchObject({ paths: ["a", "/etc/b"] })
})

it("is never allowed for always, for then the agent asks no more", () => {
  const options = [
    { optionId: "always", kind: "allow_always" },
    { optionId: "no", kind: "reject_once" },
  ]
  const answered = (mode: "ask" | "bypass") => {
    const dialogue = acp({ ...task, mode })
    asked(dialogue, requested({ kind: "execute", rawInput: { command: "ls" } }))
    const message = requested({ kind: "execute" })
    dialogue.parse(Buffer.from(`${JSON.stringify({ ...message, id: 8, params: { ...message.params, options } })}\n`))
    return JSON.parse(dialogue.encodeDecision?.("8", { effect: "allow" }) ?? "").result.outcome
  }
  expect(answered("ask")).toEqual({ outcome: "cancelled" })
  expect(answered("bypass")).toEqual({ outcome: "selected", optionId: "always" })
})
