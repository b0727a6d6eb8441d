import { answerQuestion } from "@switchyard/core/agents/questions/answer-question"
import { AppError } from "@switchyard/core/errors"
import type { Message, ModelRequest } from "@switchyard/core/models/provider"
import type { FetchPage } from "@switchyard/core/work/pages/fetch-page"
import { activeRuns } from "@switchyard/core/work/runs/state"
import { waking } from "@switchyard/core/work/runs/waking"
import { sayToTeam, setTeam, stopTeam } from "@switchyard/core/work/teams/team-rules"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createScriptedProvider } from "../../../fixtures/scripted-model.ts"
import { openTeamBench, type TeamBench } from "./team-bench.ts"
import { answerOf, isCoordinator, modelOfTeam, teamAnswer } from "./team-model.ts"

let bench: TeamBench
beforeEach(async () => {
  bench = await openTeamBench()
})
afterEach(() => bench.close())

/** Returns the messages from others that a team member received. */
async function said(agentId: string): Promise<string[]> {
  const parts = await bench.eventsOf("conversation_extended")
  const messages = parts.filter(({ agent_id }) => agent_id === agentId).flatMap((part) => part.messages as Message[])
  return messages.flatMap((message) => (message.role === "user" ? [String(message.content)] : []))
}

/** Creates a team's model that runs `act` once, before the first call that matches `when`. */
function modelDuring(when: (tools: ModelRequest["tools"]) => boolean, act: () => Promise<unknown>) {
  const model = modelOfTeam()
  let happened = false
  return {
    ...model,
    async *stream(...[request, options]: Parameters<typeof model.stream>) {
      if (!happened && when(request.tools)) {
        happened = true
        await act()
      }
      yield* model.stream(request, options)
    },
  }
}

describe("a team", () => {
  it("calls its coordinator's model only when there is news", async () => {
    await bench.start()
    const model = modelOfTeam()
    await bench.drive(model)
    const calls = model.requests.filter(({ tools }) => isCoordinator(tools))
    // A call and a wait for the plan, the same for the next node, and the end.
    expect(calls).toHaveLength(5)
    await bench.recover()
    await bench.drive(model)
    expect(model.requests.filter(({ tools }) => isCoordinator(tools))).toHaveLength(5)
  })

  it("that is stopped while a worker is at work goes on with that worker's conversation", async () => {
    await bench.start()
    const model = modelDuring(
      (tools) => !isCoordinator(tools),
      () => bench.change(stopTeam("Stop")),
    )
    await bench.drive(model)
    const stopped = await bench.state()
    expect(stopped.team).toMatchObject({ halted: "stopped", nodes: { a: { status: "assigned" } } })
    await bench.change(setTeam("resumed"))
    await bench.drive(model)
    expect((await bench.files())["b.txt"]).toBe("This is b.\n")
    const started = await bench.eventsOf("work_node_started")
    expect(started.map(({ node_id }) => node_id)).toEqual(["a", "a", "b"])
    expect(await said("coordinator")).toContainEqual(
      expect.stringContaining("The team was stopped, and is now resumed."),
    )
    expect(model.requests.filter(({ messages }) => messages.length === 0)).toEqual([])
  })

  it("that is paused, and then stopped, goes on when a person writes, and reads that once", async () => {
    await bench.start()
    const model = modelDuring(
      (tools) => !isCoordinator(tools),
      () => bench.change(setTeam("paused")),
    )
    await bench.drive(model)
    expect((await bench.state()).team?.nodes.a).toMatchObject({ status: "running" })
    await bench.change(stopTeam("Stop"))
    await bench.drive(model)
    await bench.change(sayToTeam({ to: "coordinator", content: "Go on, please.", messageId: "msg_1" }))
    await bench.drive(model)
    expect((await bench.state()).team).toMatchObject({ halted: null, nodes: { b: { status: "completed" } } })
    const heard = (await said("coordinator")).filter((text) => text.includes("Go on, please."))
    expect(heard).toHaveLength(1)
  })

  it("has a worker that publishes nothing fail with notes, and its coordinator told", async () => {
    await bench.start()
    const talker = createScriptedProvider(({ messages, tools }) => {
      const text = messages.map(({ content }) => String(content)).join("\n")
      if (!isCoordinator(tools)) return answerOf([["checkpoint", { summary: "On it." }]], messages.length)
      if (text.includes("a failed.")) return answerOf([["finish", { summary: "It can't be done." }]], messages.length)
      if (messages.length > 1) return answerOf([], messages.length)
      const worker = { name: "Ada", role: "Talks", max_iterations: 2 }
      const calls: [string, Record<string, unknown>][] = [
        ["create_work_node", { node_id: "a", task: "Write a.txt" }],
        ["spawn_worker", worker],
        ["assign_worker", { node_id: "a", worker_id: "Ada" }],
      ]
      return answerOf(calls, messages.length)
    })
    await bench.drive(talker)
    const notes = (await bench.files())["nodes/a/failure_notes.md"]
    expect(notes).toContain("made 2 model calls without publishing")
    expect(notes).toMatch(/## What was done last\n\n- Called checkpoint: {"summary":"On it\."}\n- Result: /)
    // The coordinator and the log know of the failure. The server doesn't report it as its own error.
    expect(bench.reported).toEqual([])
    expect((await bench.eventsOf("work_node_failed")).length).toBe(1)
    expect((await bench.eventsOf("team_finished")).length).toBe(1)
    expect((await bench.eventsOf("work_node_checkpointed")).length).toBe(2)
  })

  it("ends a worker whose same call is refused three times, and tells why", async () => {
    await bench.start()
    let calls = 0
    const stubborn = createScriptedProvider(({ messages, tools }) => {
      if (!isCoordinator(tools)) {
        calls++
        return answerOf([["write_file", { path: "../outside.txt", content: "x" }]], messages.length)
      }
      const text = messages.map(({ content }) => String(content)).join("\n")
      if (text.includes("a failed.")) return answerOf([["finish", { summary: "It can't be done." }]], messages.length)
      if (messages.length > 1) return answerOf([], messages.length)
      const begin: [string, Record<string, unknown>][] = [
        ["create_work_node", { node_id: "a", task: "Write a.txt" }],
        ["spawn_worker", { name: "Ada", role: "Insists" }],
        ["assign_worker", { node_id: "a", worker_id: "Ada" }],
      ]
      return answerOf(begin, messages.length)
    })
    await bench.drive(stubborn)
    expect(calls).toBe(3)
    const notes = (await bench.files())["nodes/a/failure_notes.md"]
    expect(notes).toContain("Reason: Ada made the same call 3 times in a row, and each was refused. ")
  })

  it("gives a worker as many model calls again for a node that is done again, and what it said before", async () => {
    await bench.start()
    const late = createScriptedProvider(({ messages, tools }) => {
      const text = messages.map(({ content }) => String(content)).join("\n")
      if (!isCoordinator(tools)) {
        const isNext = messages.filter(({ role }) => role === "assistant").length === 3
        return answerOf(
          [isNext ? ["publish", { summary: "Done." }] : ["checkpoint", { summary: "On it." }]],
          messages.length,
        )
      }
      if (text.includes("a is completed.")) return answerOf([["finish", { summary: "Done." }]], messages.length)
      const assign: [string, Record<string, unknown>] = ["assign_worker", { node_id: "a", worker_id: "Ada" }]
      if (text.includes("a failed.") && !text.includes("a is pending again."))
        return answerOf([["retry_node", { node_id: "a" }], assign], messages.length)
      if (messages.length > 1) return answerOf([], messages.length)
      const node = { node_id: "a", task: "Write a.txt" }
      const worker = { name: "Ada", role: "Writes", max_iterations: 2 }
      return answerOf([["create_work_node", node], ["spawn_worker", worker], assign], messages.length)
    })
    await bench.drive(late)
    expect((await bench.eventsOf("work_node_failed")).length).toBe(1)
    expect((await bench.state()).team?.nodes.a).toMatchObject({ status: "completed", runs: [{}, {}], failedRuns: 1 })
    // Two calls before the failure, and two after it. The last call publishes.
    expect((await bench.eventsOf("work_node_checkpointed")).length).toBe(3)
    expect((await bench.eventsOf("team_finished")).length).toBe(1)
  })

  it("tells a model of its mistakes, and goes on", async () => {
    await bench.start()
    const clumsy: [string, Record<string, unknown>][] = [
      ["no_such_tool", {}],
      ["create_work_node", { task: 7 }],
      ["assign_worker", { node_id: "none", worker_id: "Ada" }],
      ["memory_write", { path: "../../evil.md", content: "Obey." }],
      ["read_file", { path: "../outside" }],
      ["read_file", { path: "missing.txt" }],
      ["memory_write", { path: "MEMORY.md", content: "x".repeat(9000) }],
    ]
    const model = createScriptedProvider(({ messages }) => {
      return answerOf(messages.length > 1 ? [["finish", { summary: "Enough." }]] : clumsy, messages.length)
    })
    await bench.drive(model)
    const results = model.requests.at(-1)?.messages.filter(({ role }) => role === "tool") ?? []
    expect(results.map((result) => result.role === "tool" && result.isError)).toEqual(clumsy.map(() => true))
    expect(await bench.files()).toEqual({})
    expect((await bench.eventsOf("team_finished")).length).toBe(1)
  })

  it("has its coordinator reconvene once the policy of a stage is met, told what is completed, though it was stopped", async () => {
    await bench.start()
    const model = createScriptedProvider(({ messages, tools }) => {
      const text = messages.map(({ content }) => String(content)).join("\n")
      if (!isCoordinator(tools))
        return answerOf([["publish", { summary: `${/Write (\w+)/.exec(text)?.[1]} is written` }]], messages.length)
      const stage = { stage: "draft", contract: { checkpoint_policy: "majority" } }
      const steps: [string, Record<string, unknown>][][] = [
        [
          ...["a", "b", "c"].map((id): [string, Record<string, unknown>] => {
            return ["create_work_node", { node_id: id, task: `Write ${id}`, ...stage }]
          }),
          ["spawn_worker", { name: "Ada", role: "Writes" }],
          ["reconvene", { assessment: "Too early." }],
          ["assign_worker", { node_id: "a", worker_id: "Ada" }],
        ],
        [["assign_worker", { node_id: "b", worker_id: "Ada" }]],
        [
          ["reconvene", { assessment: "Good enough." }],
          ["create_work_node", { task: "Late", ...stage }],
          ["finish", { summary: "Enough." }],
        ],
      ]
      const isNews = messages.at(-1)?.role === "user"
      const [first, second, third] = steps
      if (!isNews) return answerOf([], messages.length)
      return answerOf(
        (text.includes("b is completed.") ? third : text.includes("a is completed.") ? second : first) ?? [],
        messages.length,
      )
    })
    let stops = 0
    await bench.drive({
      ...model,
      async *stream(request, options) {
        // Stops the team during the second node, so that the policy is met only after the team resumes.
        const isSecond = request.messages.some(({ content }) => String(content).includes("Your node is b"))
        if (isSecond && stops++ === 0) await bench.change(stopTeam("Stop"))
        yield* model.stream(request, options)
      },
    })
    expect((await bench.state()).team).toMatchObject({ halted: "stopped", stages: [{ name: "draft", metSeq: null }] })
    await bench.change(setTeam("resumed"))
    await bench.drive(model)
    const told = await said("coordinator")
    expect(told).toContainEqual(
      expect.stringMatching(
        /b is completed\.[\s\S]*Stage draft \[reconvening\], majority:\n- a \[completed\]: a is written; 1 file in nodes\/a\/published\n- b \[completed\].*\n- c \[pending\]/,
      ),
    )
    expect(told.filter((text) => text.includes("end the stage with reconvene"))).toHaveLength(1)
    const results = model.requests.at(-1)?.messages.filter(({ role }) => role === "tool") ?? []
    expect(results.map(({ content }) => String(content))).toContainEqual(
      expect.stringContaining("The stage draft is planning"),
    )
    expect((await bench.eventsOf("stage_reconvened")).map(({ assessment }) => assessment)).toEqual(["Good enough."])
    expect(Object.keys((await bench.state()).team?.nodes ?? {})).toEqual(["a", "b", "c"])
    expect((await bench.eventsOf("team_finished")).length).toBe(1)
  })

  it("stops what is under way in a stage whose time is up, and tells its coordinator, once", async () => {
    let ahead = 0
    const timed = await openTeamBench(bench.stores, { now: () => Date.now() + ahead })
    await timed.start()
    const model = createScriptedProvider(({ messages, tools }) => {
      const text = messages.map(({ content }) => String(content)).join("\n")
      if (!isCoordinator(tools)) return answerOf([["publish", { summary: "Too late." }]], messages.length)
      const contract = { timeout_seconds: 60 }
      const steps: [string, Record<string, unknown>][] = [
        ["create_work_node", { node_id: "a", task: "Write a", stage: "draft", contract }],
        ["spawn_worker", { name: "Ada", role: "Writes" }],
        ["assign_worker", { node_id: "a", worker_id: "Ada" }],
      ]
      const last = messages.at(-1)
      if (last?.role !== "user") return answerOf([], messages.length)
      const isOver = text.includes("The time limit of the stage draft has passed. Stopped nodes: a.")
      const end: [string, Record<string, unknown>][] = [
        ["reconvene", { assessment: "Nothing came of it." }],
        ["finish", { summary: "No." }],
      ]
      return answerOf(isOver ? end : steps, messages.length)
    })
    await timed.drive({
      ...model,
      async *stream(request, options) {
        if (!isCoordinator(request.tools) && ahead === 0) {
          ahead = 61_000
          await timed.wake()
          await timed.drive(model)
        }
        yield* model.stream(request, options)
      },
    })
    const { team, runs } = await timed.state()
    expect(team).toMatchObject({ nodes: { a: { status: "failed" } }, stages: [{ name: "draft" }] })
    expect(team?.finishedSeq).not.toBeNull()
    const run = runs.byId[team?.nodes.a?.runs[0]?.runId ?? ""]
    expect(run).toMatchObject({ status: "cancelled", cancelReason: "The stage draft timed out." })
    expect(await timed.eventsOf("work_node_completed")).toEqual([])
    expect(await timed.eventsOf("stage_timed_out")).toMatchObject([{ stopped: ["a"] }])
    const extensions = await timed.eventsOf("conversation_extended")
    expect(JSON.stringify(extensions).split("has passed. Stopped nodes").length).toBe(2)
  })

  it("waits for a person when its coordinator, reminded that nothing goes on, gets nowhere", async () => {
    await bench.start()
    const model = createScriptedProvider(({ messages }) => {
      const isTold = messages.at(-1)?.role === "user"
      return answerOf(isTold ? [["assign_worker", { node_id: "none", worker_id: "nobody" }]] : [], messages.length)
    })
    await bench.drive(model)
    // A call and a wait for the goal, and the same for the reminder.
    expect(model.requests).toHaveLength(4)
    expect(activeRuns(await bench.state())).toMatchObject([{ status: "parked" }])
  })

  it("asks a person with the last words of a coordinator that uses no tools, and continues with the answer", async () => {
    await bench.start()
    const model = createScriptedProvider(({ messages }) => {
      const words = messages.findLast(({ role }) => role === "user")?.content
      return answerOf(words === "Finish it." ? [["finish", { summary: "Done." }]] : [], messages.length)
    })
    await bench.drive(model)
    const [asked] = await bench.eventsOf("question_asked")
    expect(asked).toMatchObject({
      kind: "text",
      question: { text: expect.stringContaining("Its last words:\n\nI wait.") },
    })
    // Other events wake the coordinator without asking again.
    await bench.wake()
    await bench.drive(model)
    expect(await bench.eventsOf("question_asked")).toHaveLength(1)
    const answer = { choice: "allow" as const, text: "Finish it." }
    const given = { content: { kind: "text" as const, text: "" }, answer, by: "a person", now: 0, mayLoosen: true }
    await bench.change(waking(answerQuestion(asked?.question_id ?? "", given)))
    await bench.drive(model)
    expect((await bench.state()).team?.finishedSeq).not.toBeNull()
  })

  it("withdraws that question when it gets a message instead", async () => {
    await bench.start()
    const model = createScriptedProvider(({ messages }) => answerOf([], messages.length))
    await bench.drive(model)
    await bench.change(sayToTeam({ to: "coordinator", content: "Well?", messageId: "msg_1" }))
    await bench.drive(model)
    expect(await bench.eventsOf("question_withdrawn")).toHaveLength(1)
    expect(await bench.eventsOf("question_asked")).toHaveLength(2)
  })

  it("has its members read references, pages of the web, and at once what is written to them", async () => {
    await bench.start()
    const calls: Record<string, [string, Record<string, unknown>][][]> = {
      coordinator: [
        [
          ["memory_write", { path: "notes.md", content: "a".repeat(6000) }],
          ["create_work_node", { node_id: "a", task: "Write a.txt", refs: { notes: "memory/notes.md" } }],
          ["spawn_worker", { name: "Ada", role: "Reads" }],
          ["check_messages", {}],
          ["assign_worker", { node_id: "a", worker_id: "Ada" }],
        ],
        [],
        [["finish", { summary: "Read." }]],
      ],
      worker: [
        [
          ["read_ref", { name: "notes", offset: 5990 }],
          ["read_ref", { name: "none" }],
          ["web_fetch", { url: "https://example.com/tea" }],
          ["web_fetch", { url: "http://10.0.0.1/" }],
          ["publish", { summary: "All read." }],
        ],
      ],
    }
    const model = createScriptedProvider(({ messages, tools }) => {
      const next = calls[isCoordinator(tools) ? "coordinator" : "worker"]?.shift() ?? []
      return answerOf(next, messages.length)
    })
    let isWritten = false
    const written = {
      ...model,
      async *stream(...given: Parameters<typeof model.stream>) {
        if (!isWritten) await bench.change(sayToTeam({ to: "coordinator", content: "Read well.", messageId: "msg_1" }))
        isWritten = true
        yield* model.stream(...given)
      },
    }
    const fetchPage: FetchPage = async (url) => {
      if (url.includes("10.0.0.1")) throw new AppError("host_refused", "This host can't be reached.")
      return { url, mediaType: "text/html", text: "<title>Tea</title><p>It is hot.</p>" }
    }
    await bench.drive(written, { fetchPage })
    const parts = await bench.eventsOf("conversation_extended")
    const results = parts
      .flatMap(({ messages }) => messages as Message[])
      .flatMap((message) => (message.role === "tool" ? [message.content] : []))
    expect(results[3]).toContain("Read well.")
    expect(results.slice(5, 10)).toEqual([
      "a".repeat(10),
      "ERROR: There is no reference none. Available references: notes.",
      "Tea\n\nIt is hot.",
      "ERROR: This host can't be reached.",
      "Published result.md.",
    ])
    // A message that was read at once isn't delivered again.
    expect((await said("coordinator")).join("\n")).not.toContain("Read well.")
    expect((await bench.state()).team?.finishedSeq).not.toBeNull()
  })

  it("sends a long conversation's beginning and its newest part", async () => {
    await bench.start("Read it again and again")
    const model = createScriptedProvider(({ messages }) => {
      const reads = model.requests.length
      const note: [string, Record<string, unknown>] = ["memory_write", { path: "long.md", content: "x".repeat(90_000) }]
      if (reads === 1) return answerOf([note], messages.length)
      return answerOf([reads < 20 ? ["memory_read", { path: "long.md" }] : ["finish", { summary: "Read." }]], reads)
    })
    await bench.drive(model)
    const sizes = model.requests.map(({ messages }) => JSON.stringify(messages).length)
    expect(Math.max(...sizes)).toBeLessThan(300_000)
    expect(model.requests.at(-1)?.messages[0]?.content).toMatch(/Read it again and again[\s\S]*are left out/)
    expect((await bench.eventsOf("team_finished")).length).toBe(1)
    expect((await bench.eventsOf("conversation_extended")).length).toBeGreaterThan(38)
  })

  it("publishes a node once, though its model asks for that twice", async () => {
    await bench.start()
    const twice = createScriptedProvider((request) => {
      const publish: [string, Record<string, unknown>] = ["publish", { summary: "Here." }]
      if (!isCoordinator(request.tools)) return answerOf([publish, publish], request.messages.length)
      return teamAnswer(["a"], request)
    })
    await bench.drive(twice)
    expect((await bench.eventsOf("work_node_completed")).length).toBe(1)
    expect(await bench.files()).toMatchObject({ "result.md": "Here.\n" })
  })
})
