import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { attachTerminal } from "@switchyard/core/agents/terminals/terminal-log"
import { AppError } from "@switchyard/core/errors"
import { RunParked } from "@switchyard/core/work/runs/run-context"
import type { Gateway } from "@switchyard/runner/gateway/gateway"
import { describe, expect, it } from "vitest"
import { createHurriedClock } from "../../clis/hurried-clock.ts"
import { itDeep } from "../../depth.ts"
import { LIMIT_MS, never } from "../../settings.ts"
import { createViewer, drawFrame } from "../terminals/looks.ts"
import { openWorkshop, processesWith, shownIn } from "./workshop.ts"

describe("a task of the mock agent, in a real terminal", () => {
  it("writes its file, tells what it did, and is completed", async () => {
    await using shop = await openWorkshop()
    const end = await shop.work({ files: { "src/a.txt": "hello\n" }, say: "Here I go." })
    expect(end.outcome).toEqual({ type: "completed" })
    expect(await readFile(join(shop.project, "src/a.txt"), "utf8")).toBe("hello\n")
    expect(shop.logged.map(({ type }) => type)).toEqual([
      "user_message",
      "terminal_opened",
      "agent_turn_started",
      "agent_session_opened",
      "assistant_message",
      "tool_call_started",
      "tool_call_finished",
      "assistant_message",
      "agent_usage",
      "terminal_output",
      "terminal_closed",
      "agent_turn_finished",
      "milestone",
    ])
    expect(shop.of("tool_call_started")[0]).toMatchObject({ tool: "write", path: "src/a.txt", file_bytes: 6 })
    expect(shop.of("terminal_output")[0]?.data).toContain("Here I go.")
    expect(shop.reported).toEqual([])
  })

  it("shows in its terminal what is in its recording, to the last byte", async () => {
    await using shop = await openWorkshop()
    await shop.work({ say: "Watch me ü." })
    const pty = shop.of("terminal_opened")[0]?.pty ?? ""
    const lines = (shop.recordings.get(pty) ?? "").trim().split("\n")
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ version: 2, width: 80, height: 24 })
    const recorded = lines.slice(1).map((line) => JSON.parse(line)[2])
    expect(recorded.join("")).toContain("Watch me ü.")
    expect(await shownIn(shop.deps, pty)).toContain("Watch me ü.")
  })

  it("is told to go on when its turn ends without the summary, in its own session", async () => {
    await using shop = await openWorkshop()
    const end = await shop.work({ summary: 3 })
    expect(end.outcome).toEqual({ type: "completed" })
    expect(shop.of("agent_turn_started").map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    expect(new Set(shop.of("agent_session_opened").map((event) => event.native_session_id)).size).toBe(1)
  })

  it("is told so three times at most", async () => {
    await using shop = await openWorkshop()
    const end = await shop.work({ summary: false })
    expect(end.outcome).toEqual({ type: "needs_continuation" })
    expect(shop.of("agent_turn_started")).toHaveLength(4)
  })

  it("begins anew where its own session is gone", async () => {
    await using shop = await openWorkshop()
    const end = await shop.work({}, { resume: "11111111-2222-4333-8444-555555555555", followUp: true })
    expect(end.outcome).toEqual({ type: "completed" })
    expect(shop.of("agent_turn_finished").map(({ outcome }) => outcome.type)).toEqual(["failed", "completed"])
  })

  it.each([
    [
      { status: 429, message: "You have reached your specified API usage limits." },
      { type: "limit", kind: "quota_exhausted" },
    ],
    [{ status: 401, message: "Invalid API key" }, { type: "auth" }],
    [
      { status: 529, message: "Overloaded" },
      { type: "failed", problem: "overloaded" },
    ],
  ])("ends as its provider fails: %o", async (fails, outcome) => {
    await using shop = await openWorkshop()
    const end = await shop.work({ fails, exit_code: 0 })
    expect(end.outcome).toMatchObject(outcome)
  })

  it("is allowed what it asks for", async () => {
    await using shop = await openWorkshop()
    const end = await shop.work({ questions: ["Bash", "Write"] })
    expect(end.outcome).toEqual({ type: "completed" })
    expect(shop.of("agent_permitted").map(({ tool }) => tool)).toEqual(["Bash", "Write"])
  })

  it("sees nothing of the runner's environment but what it needs", async () => {
    const host = { PATH: process.env.PATH, AWS_SECRET_ACCESS_KEY: "secret", CLAUDECODE: "1", MARKER: "marker" }
    await using shop = await openWorkshop({ host })
    const stop = new AbortController()
    const working = shop.work({ hangs: true }, {}, stop.signal)
    await shop.seen("agent_session_opened")
    const [pid] = await processesWith(`HOME=${shop.folder}`)
    const environment = (await readFile(`/proc/${pid}/environ`, "utf8")).split("\0")
    stop.abort()
    await working
    expect(environment.filter((entry) => /AWS|CLAUDECODE|MARKER/.test(entry))).toEqual([])
    expect(environment).toContain("TERM=xterm-256color")
  })

  it("fails with the reason where its program isn't installed", async () => {
    await using shop = await openWorkshop({ host: { PATH: "/nowhere" } })
    const plain = { account: null, model: null, reasoning: null, repository: null, terminal: { rows: 24, cols: 80 } }
    const end = await shop.work("x", { input: { ...plain, task: "x", cli: "claude" } })
    expect(end.outcome).toMatchObject({ type: "failed", message: expect.stringContaining("not installed") })
  })
})

describe("an agent whose first protocol fails", () => {
  it("is spoken to in its other one, and hears its whole task", async () => {
    await using shop = await openWorkshop()
    const summary = JSON.stringify({ change_summary: "Done." })
    const item = { id: "item_0", type: "agent_message", text: summary }
    const lines = [
      { type: "thread.started", thread_id: "t" },
      { type: "item.completed", item },
      { type: "turn.completed", usage: {} },
    ]
    const script = [
      "#!/bin/sh",
      'case " $* " in *" app-server "*) echo "unrecognized subcommand" >&2; exit 2 ;; esac',
      `cat > ${shop.folder}/heard`,
      ...lines.map((line) => `echo '${JSON.stringify(line)}'`),
    ]
    await writeFile(join(shop.folder, "codex"), script.join("\n"), { mode: 0o755 })
    shop.deps.programs = [shop.folder]
    const plain = { account: null, model: null, reasoning: null, repository: null, terminal: { rows: 24, cols: 80 } }
    const end = await shop.work("", { input: { ...plain, task: "Count the ducks.", cli: "codex" } })
    expect(end).toMatchObject({ outcome: { type: "completed" }, nativeSession: "t" })
    expect(await readFile(join(shop.folder, "heard"), "utf8")).toContain("Count the ducks.")
    expect(shop.of("agent_turn_finished").map(({ outcome }) => outcome.type)).toEqual(["failed", "completed"])
  })
})

describe("a task that is stopped", () => {
  it("ends as cancelled, and nothing of it survives: not what ignores signals, not what left its group", async () => {
    await using shop = await openWorkshop()
    const stop = new AbortController()
    const working = shop.work({ hangs: true, stubborn: true, orphans: 3 }, {}, stop.signal)
    await shop.seen("agent_session_opened")
    // Each of the three orphans is a shell with two children. The tenth process is the agent.
    await expect.poll(() => processesWith(`HOME=${shop.folder}`)).toHaveLength(10)
    stop.abort(new AppError("run_cancelled", "The run is being cancelled."))
    const end = await working
    expect(end.outcome).toMatchObject({ type: "failed", problem: "cancelled" })
    expect(await processesWith(`HOME=${shop.folder}`)).toEqual([])
    expect(shop.reported).toEqual([])
  })

  it("tells what was used at once, to what was cut off with it, and that its runner interrupted it", async () => {
    await using shop = await openWorkshop()
    const use = (input: number) =>
      gateway.listener?.({ type: "used", usage: { input, cache_read: null, cache_write: null, output: 1 } })
    const gateway: Gateway = {
      ...{ url: "", token: "", listener: undefined, admit: undefined },
      drain: async () => use(8),
      [Symbol.asyncDispose]: async () => {},
    }
    const stop = new AbortController()
    const working = shop.work({ unanswered: "make", hangs: true }, { gateway }, stop.signal)
    await shop.seen("tool_call_started")
    use(4)
    await shop.seen("agent_usage")
    stop.abort()
    expect((await working).outcome).toMatchObject({ type: "failed", problem: "interrupted" })
    expect(shop.of("agent_usage").map(({ usage }) => usage)).toMatchObject([{ input: 4 }, { input: 8 }])
    expect(shop.of("tool_call_finished")).toHaveLength(1)
  })

  it("begins no other turn once its program has reported that a budget is used up", async () => {
    await using shop = await openWorkshop()
    const isUsedUp = () => shop.of("agent_usage").length > 0
    const findReached = async () => (isUsedUp() ? new RunParked("used up", { question: "que_1" }) : undefined)
    shop.deps.budget = { isSet: async () => true, findReached }
    const end = await shop.work({ summary: 2 })
    expect(end.parked?.waitsFor).toEqual({ question: "que_1" })
    expect(shop.of("agent_turn_started")).toHaveLength(1)
  })

  it("ends when the log takes no more, and says why", async () => {
    await using shop = await openWorkshop()
    const { append } = shop.deps
    shop.deps.append = async (events) => {
      if (events.some(({ type }) => type === "agent_session_opened")) throw new Error("superseded")
      await append(events)
    }
    await expect(shop.work({ hangs: true })).rejects.toThrow("superseded")
    expect(await processesWith(`HOME=${shop.folder}`)).toEqual([])
  })

  it("is stopped by its silence", async () => {
    await using shop = await openWorkshop({
      patience: { firstMs: LIMIT_MS, idleMs: 300, busyMs: LIMIT_MS, leaveMs: 500, answerMs: LIMIT_MS, retryMs: 0 },
    })
    const end = await shop.work({ hangs: true })
    expect(end.outcome).toMatchObject({ type: "failed", problem: "timeout" })
  })

  it("is stopped while its model is asked again and again and gets nowhere", async () => {
    await using shop = await openWorkshop({
      patience: { firstMs: LIMIT_MS, idleMs: 1000, busyMs: LIMIT_MS, leaveMs: 500, answerMs: LIMIT_MS, retryMs: 0 },
    })
    const end = await shop.work({ repeats: "I will creat" })
    expect(end.outcome).toMatchObject({ type: "failed", problem: "timeout" })
  })

  it("asks a model that failed again, in the same session, and tells people about it", async () => {
    const clock = createHurriedClock()
    const patience = { firstMs: LIMIT_MS, idleMs: LIMIT_MS, busyMs: LIMIT_MS, leaveMs: 2000, answerMs: LIMIT_MS }
    await using shop = await openWorkshop({ clock, patience: { ...patience, retryMs: LIMIT_MS } })
    shop.onEvent(({ type }) => type === "agent_retried" && setImmediate(() => clock.hurry(4000)))
    const end = await shop.work({ files: {}, fails: { status: 500, message: "terminated", turns: 2 } })
    expect(end.outcome).toEqual({ type: "completed" })
    expect(shop.of("agent_turn_finished").map(({ outcome }) => outcome)).toMatchObject([
      ...[{ problem: "overloaded" }, { problem: "overloaded" }],
      { type: "completed" },
    ])
    expect(shop.of("agent_retried").map(({ message }) => message)).toEqual([
      "terminated. Retrying in 2 seconds.",
      "terminated. Retrying in 4 seconds.",
    ])
    const sessions = shop.of("agent_session_opened").map(({ native_session_id }) => native_session_id)
    expect(new Set(sessions).size).toBe(1)
    expect(shop.of("user_message")).toHaveLength(1)
  })

  itDeep("is told that it goes in circles, begins anew without its memory, and is stopped then", async () => {
    await using shop = await openWorkshop()
    const end = await shop.work({ commands: ["echo same"], circles: { times: 500 } })
    expect(end.outcome).toMatchObject({ type: "failed", problem: "repeating" })
    expect(end.outcome).toHaveProperty("message", expect.stringContaining("the same call 6 times"))
    const prompts = shop.of("user_message").map(({ content }) => content)
    expect(prompts.map((text) => String(text).includes("A way that leads nowhere"))).toEqual([false, true, true])
    const sessions = shop.of("agent_session_opened").map(({ native_session_id }) => native_session_id)
    expect(new Set(sessions).size).toBe(2)
  })

  it("is told that it goes in circles, and goes on where it finds another way", async () => {
    await using shop = await openWorkshop()
    const end = await shop.work({ commands: ["echo same"], circles: { times: 500, turns: 1 } })
    expect(end.outcome).toEqual({ type: "completed" })
    expect(shop.of("user_message")).toHaveLength(2)
    expect(shop.of("agent_turn_finished")[0]?.outcome).toMatchObject({ type: "failed", problem: "repeating" })
  })

  it("is told that it gets nowhere when it uses much for what it knows", async () => {
    await using shop = await openWorkshop()
    const circles = { times: 250, turns: 1 }
    const end = await shop.work({ commands: ["echo one", "echo two"], tokens: 500_000, circles })
    expect(end.outcome).toEqual({ type: "completed" })
    const [ended] = shop.of("agent_turn_finished")
    expect(ended?.outcome).toMatchObject({ type: "failed", problem: "repeating" })
    expect(ended?.outcome).toHaveProperty(
      "message",
      expect.stringMatching(/is making no progress: \S+ tokens in 1\d answers/),
    )
    expect(shop.of("user_message")[1]?.content).toContain("is making no progress")
  })

  it("is stopped by Ctrl-C in its terminal, and hears what is typed there before", async () => {
    await using shop = await openWorkshop()
    const working = shop.work({ duration_ms: 60_000 })
    await shop.seen("agent_session_opened")
    const pty = shop.of("terminal_opened")[0]?.pty ?? ""
    const type = (client_seq: number, text: string) =>
      shop.attachments.receive({
        type: "terminal_input",
        pty,
        client: "tab",
        client_seq,
        data: Buffer.from(text).toString("base64"),
      })
    type(1, "do thiss\u007f too\r")
    type(1, "never\r")
    type(2, "\u0003")
    expect((await working).outcome).toMatchObject({ problem: "cancelled" })
    const typed = shop.of("user_message").filter(({ source }) => source === "terminal")
    expect(typed.map(({ content }) => content)).toEqual(["do this too"])
  })

  it("hears what is pasted into its terminal as one message, in which no key has an effect", async () => {
    await using shop = await openWorkshop()
    const working = shop.work({ duration_ms: 60_000 })
    await shop.seen("agent_session_opened")
    const pty = shop.of("terminal_opened")[0]?.pty ?? ""
    const screen = createViewer({ rows: 24, cols: 80 })
    for await (const frame of attachTerminal(shop.deps, "s", pty, { signal: never })) {
      drawFrame(screen, frame)
      if (screen.looks().modes.bracketedPasteMode) break
    }
    const texts = ["See: \u001b[200~if (a) {\r\tb()\r\n}\n\u0015", "\u001b[201~", " Why?\r", "\u0003"]
    for (const [index, text] of texts.entries()) {
      const data = Buffer.from(text).toString("base64")
      shop.attachments.receive({ type: "terminal_input", pty, client: "tab", client_seq: index + 1, data })
    }
    await working
    const typed = shop.of("user_message").filter(({ source }) => source === "terminal")
    expect(typed.map(({ content }) => content)).toEqual(["See: if (a) {\n\tb()\n}\n Why?"])
    expect(await shownIn(shop.deps, pty)).not.toContain("\u001b[?2004h")
  })
})

describe("a message to an agent", () => {
  it("that comes before the agent can take it is passed on when it can", async () => {
    await using shop = await openWorkshop()
    shop.attachments.receive({ type: "agent_message", content: "And a title.", source: "ui" })
    await shop.work({ duration_ms: 1000 })
    const told = shop.logged.flatMap((event) =>
      event.type === "user_message" ? [event.source] : event.type === "agent_session_opened" ? ["opened"] : [],
    )
    expect(told).toEqual(["task", "opened", "ui"])
    expect(shop.deps.attachments.takeUndelivered()).toEqual([])
  })

  it("that takes none during a turn is the next turn, in the same session", async () => {
    await using shop = await openWorkshop()
    const lines = (turn: string) =>
      [
        { type: "thread.started", thread_id: "t" },
        { type: "item.completed", item: { id: "i", type: "agent_message", text: `{"change_summary":"${turn}"}` } },
        { type: "turn.completed", usage: {} },
      ].map((line) => `echo '${JSON.stringify(line)}'`)
    const [opened = "", ...rest] = lines("Done.")
    const script = [
      "#!/bin/sh",
      'case " $* " in *" app-server "*) echo "unrecognized subcommand" >&2; exit 2 ;; esac',
      `cd ${shop.folder}`,
      "turn=first; [ -e first ] && turn=second",
      'echo "$@" > $turn; cat >> $turn',
      opened,
      "while [ ! -e go ]; do sleep 0.05; done",
      ...rest,
    ]
    await writeFile(join(shop.folder, "codex"), script.join("\n"), { mode: 0o755 })
    shop.deps.programs = [shop.folder]
    const plain = { account: null, model: null, reasoning: null, repository: null, terminal: { rows: 24, cols: 80 } }
    const working = shop.work("", { input: { ...plain, task: "Count the ducks.", cli: "codex" } })
    await shop.seen("agent_session_opened")
    for (const content of ["And the geese.", "Not the swans."]) {
      shop.attachments.receive({ type: "agent_message", content, source: "api" })
    }
    await writeFile(join(shop.folder, "go"), "")
    expect((await working).outcome).toEqual({ type: "completed" })
    expect(shop.of("user_message").map(({ content }) => content)).toEqual([
      expect.stringContaining("Count the ducks."),
      "And the geese.",
      "Not the swans.",
    ])
    expect(await readFile(join(shop.folder, "first"), "utf8")).not.toContain("geese")
    const second = await readFile(join(shop.folder, "second"), "utf8")
    expect(second).toMatch(/resume\b.*\bt\b/)
    expect(second).toContain("And the geese.\n\nNot the swans.")
  })
})

describe("an agent that floods its terminal", () => {
  it("is waited for, its log stays small, and its recording is whole", async () => {
    await using shop = await openWorkshop()
    const end = await shop.work({ flood_bytes: 50_000_000, garbage: true })
    expect(end.outcome).toEqual({ type: "completed" })
    const pty = shop.of("terminal_opened")[0]?.pty ?? ""
    const recorded = shop.recordings.get(pty) ?? ""
    expect(recorded.length).toBeGreaterThan(50_000_000)
    expect(recorded).toContain("turn completed")
  })
})

describe("a person who takes over", () => {
  it("works in the agent's own screen in the same session, and hands back to where it goes on", async () => {
    await using shop = await openWorkshop()
    const working = shop.work({ duration_ms: 60_000, files: { "a.txt": "a" } })
    await shop.seen("agent_session_opened")
    shop.attachments.receive({ type: "agent_take_over" })
    await expect.poll(() => shop.of("terminal_opened").map(({ kind }) => kind)).toEqual(["driver", "tui"])
    const pty = shop.of("terminal_opened")[1]?.pty ?? ""
    const data = Buffer.from("hello agent").toString("base64")
    const watching = attachTerminal(shop.deps, "s", pty, { signal: never })
    const screen = createViewer({ rows: 1, cols: 1 })
    for await (const frame of watching) {
      drawFrame(screen, frame)
      if (screen.text().includes("Mock agent") && !screen.text().includes("hello")) {
        shop.attachments.receive({ type: "terminal_input", pty, client: "tab", client_seq: 1, data })
        shop.attachments.receive({ type: "terminal_resize", pty, client: "tab", rows: 30, cols: 90, take: false })
      }
      if (screen.text().includes("> hello agent") && screen.text().includes("90 x 30")) break
    }
    shop.attachments.receive({ type: "agent_hand_back" })
    await expect.poll(() => shop.of("agent_session_opened")).toHaveLength(2)
    shop.attachments.receive({ type: "agent_interrupt" })
    await working
    expect(new Set(shop.of("agent_session_opened").map((event) => event.native_session_id)).size).toBe(1)
    expect(shop.of("terminal_output")[1]?.data).toContain("> hello agent")
    expect(shop.of("agent_turn_finished").map(({ outcome }) => outcome.type)).toEqual(["needs_continuation", "failed"])
    expect(shop.reported).toEqual([])
  })
})
