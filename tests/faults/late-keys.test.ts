import { appendAsRunner, claimRunner } from "@switchyard/core/agents/terminals/rules"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { sessionFold } from "@switchyard/core/state"
import { systemClock } from "@switchyard/core/time"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createAttachments } from "../../packages/runner/src/agents/attachments.ts"
import { openSupervisor } from "../../packages/runner/src/processes/supervisor.ts"
import { locate } from "../../packages/runner/src/programs/locate.ts"
import { createPeopleInput } from "../../packages/runner/src/serving/people-input.ts"
import { readFrames } from "../functions/agents/frames.ts"
import { openSession } from "../functions/agents/worktree-session.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { needs } from "../needs.ts"
import { never as signal } from "../settings.ts"
import { killRunner } from "./kill-runner.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const supervisor = await openSupervisor((await locate("perl", process.env.PATH ?? ""))?.file)
const noSupervisor = supervisor ? undefined : "a supervisor takes Linux and Perl"

const SECRET = "hunter2"

function keys(client_seq: number, text: string) {
  return { json: { data: Buffer.from(text).toString("base64"), client: "tab", client_seq } }
}

async function noticeOf(id: string) {
  for await (const { data } of readFrames(server, `/api/v1/sessions/${id}/stream?include_terminal=false`)) {
    if (data.type === "agent_notice") return data
  }
  throw new Error("Nothing was said.")
}

describe("keys that were accepted and reach no program", () => {
  it("are told of in the session's stream, once a terminal, where the program had ended", async () => {
    const { id, events } = await openSession(server)
    const core = server.core()
    const { sid } = await core.sessions.find("local", id, { signal })
    const deps = { ...core, ...server.stores, clock: systemClock, fold: sessionFold, writer: "runner" }
    const session = await openSessionLog(deps, sid, { signal })
    await session.decide(claimRunner("runner"), { signal })
    const about = { pty: "pty_1", kind: "shell" as const, title: "Shell", rows: 24, cols: 80 }
    await session.decide(appendAsRunner(1, [{ type: "terminal_opened", ...about }]), { signal })
    // The program has ended, but the log doesn't show that yet. The log normally shows it as soon as the recording is
    // stored.
    const attachments = createAttachments()
    attachments.ofAgent("").removeTerminal("pty_1")
    const place = { generation: 1, isAtWork: () => false, onMessage() {} }
    const input = createPeopleInput({ ...deps, attachments, report: console.error }, session, place)
    const stop = new AbortController()
    const listening = input.listen({ signal: stop.signal }).catch(() => {})

    const at = `/api/v1/sessions/${id}/terminals/pty_1/input`
    for (const [index, text] of [SECRET, "\r", "more\r"].entries()) {
      expect((await server.call("POST", at, keys(index + 1, text))).status).toBe(200)
    }
    expect(await noticeOf(id)).toMatchObject({
      agent_id: "main",
      text: "The program in a terminal exited before reading the last keys, so they were lost.",
    })
    await server.call("POST", at, keys(4, "again\r"))
    stop.abort()
    await listening
    expect(await input.close({ signal })).toBe(false)
    expect((await server.call("POST", at, keys(5, "refused\r"))).body.error.code).toBe("terminal_invalid")
    expect((await events()).filter(({ type }) => type === "agent_notice")).toHaveLength(1)
    expect(JSON.stringify(await events())).not.toContain(SECRET)
  })

  it("are told of where they were typed into a shell whose runner was lost, as soon as another one serves the session", async () => {
    const { id, ask, events } = await openSession(server)
    expect((await ask("POST", "", { json: {} })).status).toBe(201)
    const { pty } = (await ask("POST", "/shell", { json: {} })).body
    await killRunner(server, id)
    const at = `/api/v1/sessions/${id}/terminals/${pty}/input`
    expect((await server.call("POST", at, keys(1, `${SECRET}\r`))).status).toBe(200)
    await ask("POST", "/shell", { json: {} })
    expect(await noticeOf(id)).toMatchObject({
      agent_id: "main",
      text: "A terminal was lost with its runner. The last keys typed into it may not have reached its program.",
    })
    expect((await server.call("POST", at, keys(2, "more\r"))).body.error.code).toBe("terminal_invalid")
    expect((await events()).filter(({ type }) => type === "agent_notice")).toHaveLength(1)
    expect(JSON.stringify(await events())).not.toContain(SECRET)
  })

  it("are told of where they were typed with those that ended a shell", needs(noSupervisor), async () => {
    const { id, ask, events } = await openSession(server)
    expect((await ask("POST", "", { json: {} })).status).toBe(201)
    const first = (await ask("POST", "/shell", { json: {} })).body.pty
    const at = (pty: string) => `/api/v1/sessions/${id}/terminals/${pty}/input`
    expect((await server.call("POST", at(first), keys(1, "exit\r"))).status).toBe(200)
    const { pty } = (await ask("POST", "/shell", { json: {} })).body
    expect((await server.call("POST", at(pty), keys(1, `exit\r${SECRET}\r`))).status).toBe(200)
    expect(await noticeOf(id)).toMatchObject({
      agent_id: "main",
      text: "The program in a terminal exited before reading the last keys, so they were lost.",
    })
    const closed = (await events()).filter(({ type }) => /terminal_closed|agent_notice/.test(type))
    // The other shell, which lost nothing, may close before or after the notice.
    expect(closed.filter((event) => event.pty !== first).map(({ type, pty }) => [type, pty])).toEqual([
      ["terminal_closed", pty],
      ["agent_notice", undefined],
    ])
  })
})
