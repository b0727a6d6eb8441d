import type { InboxMessage } from "@switchyard/core/agents/terminals/schema"
import { createAttachments } from "@switchyard/runner/agents/attachments"
import { expect, it } from "vitest"

/** Attaches an agent, and returns the list of everything that it receives. */
function attached(attachments: ReturnType<typeof createAttachments>, agentId: string) {
  const got: string[] = []
  attachments.ofAgent(agentId).setAgent({
    say: ({ content }) => got.push(content) > 0,
    interrupt: () => got.push("interrupt"),
    takeOver: () => got.push("take over"),
    handBack: () => got.push("hand back"),
  })
  return got
}

const toAgent = (type: string, agent_id?: string) =>
  ({ type, client: "c", content: type, ...(agent_id && { agent_id }) }) as unknown as InboxMessage

it("gives each message to the agent that it names, or to the main one, and to no other", () => {
  const attachments = createAttachments()
  const [main, api] = [attached(attachments, "main"), attached(attachments, "api")]
  for (const type of ["agent_message", "agent_interrupt", "agent_take_over", "agent_hand_back"]) {
    attachments.receive(toAgent(type))
    attachments.receive(toAgent(type, "api"))
    attachments.receive(toAgent(type, "nobody"))
  }
  const all = ["agent_message", "interrupt", "take over", "hand back"]
  expect([main, api]).toEqual([all, all])
})

it("gives what is typed to the terminal that it names, and to no agent", () => {
  const attachments = createAttachments()
  const main = attached(attachments, "main")
  const typed: string[] = []
  attachments.ofAgent("main").addTerminal("pty_1", {
    type: (bytes) => typed.push(`${bytes}`),
    resize: () => typed.push("resize"),
    watched: () => {},
    left: () => {},
  })
  for (const pty of ["pty_1", "pty_2"]) {
    const data = Buffer.from(pty).toString("base64")
    attachments.receive({ type: "terminal_input", pty, client: "c", client_seq: 1, data } as InboxMessage)
  }
  expect([typed, main]).toEqual([["pty_1"], []])
})

it("holds what is typed into a terminal that is announced and not open yet, in order and once", () => {
  const attachments = createAttachments()
  const agent = attachments.ofAgent("main")
  const type = (client_seq: number, text: string) =>
    attachments.receive({
      ...{ type: "terminal_input", pty: "pty_1", client: "c", client_seq },
      data: Buffer.from(text).toString("base64"),
    } as InboxMessage)
  type(1, "nobody heard of it")
  agent.expectTerminal("pty_1")
  attachments.receive({ type: "terminal_attached", pty: "pty_1", client: "c" } as InboxMessage)
  type(2, "a")
  type(2, "a")
  type(3, "b")
  const seen: string[] = []
  agent.addTerminal("pty_1", {
    type: (bytes) => seen.push(`${bytes}`),
    resize: () => {},
    watched: (client) => seen.push(`${client} watches`),
    left: () => {},
  })
  type(4, "c")
  expect(seen).toEqual(["c watches", "a", "b", "c"])
})

/** Opens a main agent with turns, and a person who types into their terminals. */
function openTurns() {
  const attachments = createAttachments()
  const agent = attachments.ofAgent("main")
  const got: string[] = []
  const shown: Record<string, string> = {}
  const interrupted: string[] = []
  const say = ({ content }: { content: string }) => got.push(content) > 0
  let sent = 0
  return {
    ...{ agent, got, shown, interrupted },
    begin(pty: string, takesMessages = true) {
      shown[pty] = ""
      agent.addTurn(pty, {
        ...{ resize: () => {}, watched: () => {}, left: () => {}, submitted: () => {} },
        echo(text) {
          shown[pty] += text
        },
        interrupt: () => void interrupted.push(pty),
      })
      if (takesMessages) agent.setAgent({ say, interrupt: () => {} })
    },
    end(pty: string) {
      agent.setAgent(undefined)
      agent.removeTerminal(pty)
    },
    type(pty: string, text: string, client_seq = ++sent) {
      const data = Buffer.from(text).toString("base64")
      return attachments.receive({ type: "terminal_input", pty, client: "c", client_seq, data } as InboxMessage)
    },
  }
}

it("gives a line to the next turn whose terminal had been closed when it came, and says whose it is", () => {
  const turns = openTurns()
  turns.begin("pty_1")
  turns.end("pty_1")
  expect(turns.type("pty_1", "do this\r", 1)).toBe("main")
  turns.type("pty_1", "do this\r", 1)
  expect(turns.got).toEqual([])
  turns.begin("pty_2")
  expect(turns.got).toEqual(["do this"])
  // Typed into the first turn's terminal, but arrives during the second turn.
  turns.type("pty_1", "and that\r", 2)
  expect(turns.got).toEqual(["do this", "and that"])
  turns.end("pty_2")
  turns.type("pty_2", "too late\r")
  expect(turns.agent.takeUndelivered()).toMatchObject([{ content: "too late", source: "terminal" }])
  expect(turns.type("pty_unknown", "never\r")).toBeUndefined()
  expect(turns.agent.takeUndelivered()).toEqual([])
})

it("goes on with a line in the terminal of the next turn, wherever the rest of it is typed", () => {
  const turns = openTurns()
  turns.begin("pty_1")
  turns.type("pty_1", "he")
  turns.end("pty_1")
  turns.type("pty_1", "l")
  turns.begin("pty_2")
  expect(turns.shown.pty_2).toContain("hel")
  turns.type("pty_1", "l")
  turns.type("pty_2", "o\r")
  expect(turns.got).toEqual(["hello"])
  turns.type("pty_2", "half")
  turns.end("pty_2")
  expect([turns.agent.takeLine(), turns.agent.takeLine()]).toEqual(["half", ""])
})

it("ends no turn by a Ctrl-C that was typed into an earlier one", () => {
  const turns = openTurns()
  turns.begin("pty_1")
  turns.type("pty_1", "\u0003")
  turns.end("pty_1")
  turns.begin("pty_2")
  turns.type("pty_1", "\u0003")
  expect(turns.interrupted).toEqual(["pty_1"])
})

it("notes once that a terminal was typed into after its program had ended, and no keys that only answer", () => {
  const attachments = createAttachments()
  const agent = attachments.ofAgent("api")
  const type = (pty: string, client_seq: number, text: string) =>
    attachments.receive({
      ...{ type: "terminal_input", pty, client: "c", client_seq },
      data: Buffer.from(text).toString("base64"),
    } as InboxMessage)
  for (const pty of ["pty_1", "pty_2"]) {
    agent.addTerminal(pty, { type() {}, resize() {}, watched() {}, left() {} })
    type(pty, 1, "exit\r")
    agent.removeTerminal(pty)
  }
  expect(attachments.takeLate()).toEqual([])
  for (const [index, text] of ["\u0003", "\u0004", "\u001b[?1;2c", "l", "s\r"].entries()) type("pty_1", index + 2, text)
  type("pty_3", 1, "a terminal that nobody had\r")
  expect(attachments.takeLate()).toEqual(["api"])
  expect(attachments.takeLate()).toEqual([])
})
