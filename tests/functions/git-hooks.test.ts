import { createHmac, randomUUID } from "node:crypto"
import { dirname, join } from "node:path"
import type { Records } from "@switchyard/core/storage/records"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../depth.ts"
import { never as signal } from "../settings.ts"
import { readFrames } from "./agents/frames.ts"
import { makeRepository } from "./agents/repository.ts"
import { startServer, type TestServer } from "./server.ts"

/**
 * Makes write `at` fail, counted from the last reset of `writes`. `done` means that the write fails after it is stored.
 */
let fault: { at: number; done: boolean } | undefined
let writes = 0

/** Counts the server's writes, and fails the write that `fault` names. */
function faulty<S extends { records: Records }>(stores: S): S {
  const put: Records["put"] = async (...given) => {
    const isMeant = ++writes === fault?.at
    if (isMeant && !fault?.done) throw new Error("The process died.")
    const version = await stores.records.put(...given)
    if (isMeant) throw new Error("The process died.")
    return version
  }
  return { ...stores, records: { ...stores.records, put } }
}

let server: TestServer
let repository: string
beforeAll(async () => {
  // This agent holds the only runner, so other runs wait, and only deliveries write to the store.
  server = await startServer({ env: { RUNNERS_AT_ONCE: "1", RATE_LIMIT_RUNS_PER_MINUTE: "0" }, wrapStores: faulty })
  repository = makeRepository(join(dirname(server.folder), "source")).folder
  const path = `/api/v1/sessions/${(await server.call("POST", "/api/v1/sessions")).body.id}`
  await server.call("POST", `${path}/tasks`, {
    json: { coding_agent: "mock", task_description: 'Wait. mock: {"hangs": true}' },
  })
  for await (const { data } of readFrames(server, `${path}/stream`)) if (data.type === "agent_session_opened") break
})
afterAll(() => server.close())

interface Hook {
  id: string
  path: string
  secret: string
}

async function hookFor(kind: "github" | "gitlab", rules: object[], more = {}): Promise<Hook> {
  const json = { repository, kind, rules, coding_agent: "mock", ...more }
  return (await server.call("POST", "/api/v1/git-hooks", { json })).body
}

/** Returns the headers that GitHub sends with this body, per its documentation. */
function signed(secret: string, event: string, body: string) {
  return {
    "content-type": "application/json",
    "x-github-event": event,
    "x-github-delivery": randomUUID(),
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
  }
}

const fromGithub = ({ path, secret }: Hook, event: string, payload: object, to = server) => {
  const body = JSON.stringify(payload)
  return to.call("POST", path, { body, headers: signed(secret, event, body) })
}
const fromGitlab = ({ path, secret }: Hook, payload: object) =>
  server.call("POST", path, { json: payload, headers: { "x-gitlab-token": secret, "x-gitlab-event": "Note Hook" } })

const now = () => new Date().toISOString()
const issue = (more = {}) => ({
  number: 7,
  title: "It crashes",
  body: 'mock: {"files":{}}',
  updated_at: now(),
  ...more,
})
const labelled = (name: string, more = {}) => ({ action: "labeled", issue: issue(more), label: { name } })
const commented = (body: string, association: string, login = "ada") => ({
  ...{ action: "created", issue: issue() },
  comment: { body, created_at: now(), author_association: association, user: { login } },
})
const failed = (branch: string | null) => ({
  action: "completed",
  check_run: {
    ...{ name: "unit", conclusion: "failure", completed_at: now(), output: { title: "1 failed", summary: null } },
    check_suite: { head_branch: branch },
  },
})

const runs = async (of = server): Promise<{ run_id: string }[]> =>
  (await of.call("GET", "/v1/runs?limit=100")).body.runs
const NOTHING = { run_id: null, session_id: null }

describe("a delivery of GitHub's", () => {
  it("starts one run for a label, however often and however at once it comes", async () => {
    const hook = await hookFor("github", [{ on: "issue_labelled", label: "agent" }])
    const before = (await runs()).length
    expect((await fromGithub(hook, "issues", labelled("bug"))).body).toEqual(NOTHING)
    const payload = labelled("agent")
    const answers = await Promise.all(Array.from({ length: 20 }, () => fromGithub(hook, "issues", payload)))
    const later = await fromGithub(hook, "issues", payload)
    const ids = new Set([...answers, later].map(({ body }) => body.run_id))
    expect([...ids]).toEqual([expect.stringMatching(/^run_/)])
    expect(await runs()).toHaveLength(before + 1)
    const { body } = await server.call("GET", `/api/v1/sessions/${later.body.session_id}/conversation`)
    expect(body.task.task_description).toBe('Resolve issue #7: It crashes\n\nmock: {"files":{}}')
    expect(body.task.project_path).toBe(repository)
  })

  it.each([
    "ssh://git@git.example.org/ada/project.git",
    "git@git.example.org:ada/project",
    "git@git.example.org:Ada/Project.git",
  ])(
    "starts one for the hook's own repository, and none for another of the same organisation (%s)",
    async (address) => {
      const hook = await hookFor("github", [{ on: "issue_labelled", label: "agent" }], { repository: address })
      const from = (full_name?: string) =>
        fromGithub(hook, "issues", { ...labelled("agent"), ...(full_name && { repository: { full_name } }) })
      for (const other of ["ada/other", "eve/project", "da/project", undefined])
        expect((await from(other)).body, other).toEqual(NOTHING)
      expect((await from("ada/project")).body.run_id).toMatch(/^run_/)
    },
  )

  it("starts one for a comment of somebody who may, and for a failed check of a branch that is no agent's", async () => {
    const hook = await hookFor("github", [{ on: "comment" }, { on: "check_failed" }])
    const ask = (body: string, by: string, login?: string) =>
      fromGithub(hook, "issue_comment", commented(body, by, login))
    expect((await ask("@switchyard mend it", "NONE")).body).toEqual(NOTHING)
    expect((await ask("Ask @switchyard about it", "OWNER")).body).toEqual(NOTHING)
    for (const other of [
      "",
      "-bot mend it",
      "/core mend it",
      "é mend it",
      "\u0430 mend it",
      "\u200b mend it",
      ".org mend it",
    ]) {
      expect((await ask(`@switchyard${other}`, "OWNER")).body, other).toEqual(NOTHING)
    }
    for (const alike of ["@switchy\u0430rd", "@\u017fwitchyard", "\uff20switchyard", "> @switchyard"]) {
      expect((await ask(`${alike} mend it`, "OWNER")).body, alike).toEqual(NOTHING)
    }
    expect((await ask("@switchyard: mend it", "MEMBER")).body.run_id).toMatch(/^run_/)
    for (const branch of ["switchyard/mend-it-1234", null]) {
      expect((await fromGithub(hook, "check_run", failed(branch))).body).toEqual(NOTHING)
    }
    const fork = { head: { repo: { id: 2 } }, base: { repo: { id: 1 } } }
    const { check_run, ...rest } = failed("main")
    const ofFork = { ...rest, check_run: { ...check_run, pull_requests: [fork] } }
    expect((await fromGithub(hook, "check_run", ofFork)).body).toEqual(NOTHING)
    expect((await fromGithub(hook, "check_run", failed("b".repeat(300)))).status).toBe(422)
    expect((await fromGithub(hook, "check_run", failed("main"))).body.run_id).toMatch(/^run_/)
    const own = await hookFor("github", [{ on: "comment" }], { users: ["grace"] })
    expect((await fromGithub(own, "issue_comment", commented("@switchyard x", "OWNER"))).body).toEqual(NOTHING)
    expect((await fromGithub(own, "issue_comment", commented("@switchyard x", "NONE", "grace"))).body.run_id).toMatch(
      /^run_/,
    )
  })

  it("is refused without the right signature, and nothing is written", async () => {
    const hook = await hookFor("github", [{ on: "comment" }])
    const body = JSON.stringify(commented("@switchyard mend it", "OWNER"))
    const right = signed(hook.secret, "issue_comment", body)
    const before = { runs: await runs(), writes }
    const wrong: [string, Record<string, string>][] = [
      [hook.path, { "x-github-event": "issue_comment" }],
      [hook.path, { ...right, "x-hub-signature-256": right["x-hub-signature-256"].replace(/.$/, "x") }],
      [hook.path, signed("another", "issue_comment", body)],
      [hook.path, { ...signed(hook.secret, "issue_comment", `${body} `) }],
      [hook.path, { "x-github-event": "issue_comment", "x-gitlab-token": hook.secret }],
      [hook.path.replace(hook.id, "ghk_none"), right],
    ]
    for (const [path, headers] of wrong) {
      const { status, body: answer } = await server.call("POST", path, { body, headers })
      expect([status, answer.error.code]).toEqual([401, "unauthorized"])
    }
    expect({ runs: await runs(), writes }).toEqual(before)
  })

  it("may quote a long issue and a long comment, and a body above 1 MB is refused whatever its signature", async () => {
    const hook = await hookFor("github", [{ on: "comment" }])
    const long = (body: string) => {
      const { comment, ...rest } = commented("@switchyard mend it", "OWNER")
      return { ...rest, issue: issue({ body }), comment }
    }
    expect((await fromGithub(hook, "issue_comment", long("€".repeat(65_536)))).body.run_id).toMatch(/^run_/)
    for (const size of [1024 * 1024, 25 * 1024 * 1024]) {
      const { status, body } = await fromGithub(hook, "issue_comment", long("x".repeat(size)))
      expect([status, body.error.code]).toEqual([413, "payload_too_large"])
    }
  })

  it("that is sent as a form is refused, and says what to set", async () => {
    const { path, secret } = await hookFor("github", [{ on: "comment" }])
    const body = new URLSearchParams({ payload: JSON.stringify(commented("@switchyard mend it", "OWNER")) }).toString()
    const headers = { ...signed(secret, "issue_comment", body), "content-type": "application/x-www-form-urlencoded" }
    const { status, body: answer } = await server.call("POST", path, { body, headers })
    expect([status, answer.error.message]).toEqual([422, expect.stringContaining("application/json")])
  })

  it("is refused when its event is old, as one is that somebody sends again", async () => {
    const hook = await hookFor("github", [{ on: "issue_labelled", label: "agent" }])
    for (const updated_at of [new Date(Date.now() - 3_700_000).toISOString(), "2999-01-01T00:00:00Z", "never"]) {
      const { status } = await fromGithub(hook, "issues", labelled("agent", { updated_at }))
      expect(status).toBe(422)
    }
  })
})

/**
 * Sends one delivery for each of these writes and fails that write, before or after it is stored. Resolves to the
 * number of failures.
 */
async function dyingAt(writesOf: readonly number[]): Promise<number> {
  const hook = await hookFor("github", [{ on: "issue_labelled", label: "agent" }])
  let died = 0
  for (const done of [false, true]) {
    for (const at of writesOf) {
      const before = (await runs()).length
      const payload = labelled("agent", { number: 100 * at + Number(done) })
      writes = 0
      fault = { at, done }
      const first = await fromGithub(hook, "issues", payload)
      fault = undefined
      if (first.status === 500) died++
      const again = await fromGithub(hook, "issues", payload)
      expect(again.body.run_id, `write ${at}`).toMatch(/^run_/)
      expect((await runs()).length, `write ${at}`).toBe(before + 1)
    }
  }
  return died
}

it("starts one run, though the process dies while it takes the delivery", async () => {
  expect(await dyingAt([1, 4])).toBe(4)
})

itDeep("starts one run, wherever the process dies while it takes the delivery", async () => {
  expect(await dyingAt(Array.from({ length: 12 }, (_, index) => index + 1))).toBeGreaterThan(5)
})

describe("a delivery of GitLab's", () => {
  it("starts a run by the same rules, for comments of the users that are named", async () => {
    const rules = [{ on: "comment" }, { on: "issue_labelled", label: "agent" }, { on: "check_failed" }]
    const hook = await hookFor("gitlab", rules, { users: ["ada"] })
    const note = (username: string) => ({
      ...{ object_kind: "note", user: { username } },
      object_attributes: { note: "@switchyard mend it", created_at: now() },
    })
    expect((await fromGitlab(hook, note("eve"))).body).toEqual(NOTHING)
    expect((await fromGitlab(hook, note("ada"))).body.run_id).toMatch(/^run_/)
    const labels = { previous: [{ title: "bug" }], current: [{ title: "bug" }, { title: "agent" }] }
    const updated_at = now()
      .replace("T", " ")
      .replace(/\.\d+Z/, " UTC")
    const changed = {
      object_kind: "issue",
      object_attributes: { iid: 3, title: "Slow", updated_at },
      changes: { labels },
    }
    expect((await fromGitlab(hook, changed)).body.run_id).toMatch(/^run_/)
    const pipeline = { id: 1, ref: "main", status: "failed", source: "push", finished_at: now() }
    const ended = { object_kind: "pipeline", object_attributes: pipeline }
    expect((await fromGitlab(hook, ended)).body.run_id).toMatch(/^run_/)
    expect((await fromGitlab({ ...hook, secret: "wrong" }, ended)).status).toBe(401)
  })

  it("starts nothing for an edited comment, a tag, and a branch of a fork, whatever its name", async () => {
    const hook = await hookFor("gitlab", [{ on: "comment" }, { on: "check_failed" }], { users: ["ada"] })
    const note = (action: string) => ({
      ...{ object_kind: "note", user: { username: "ada" } },
      object_attributes: { note: "@switchyard mend it", created_at: now(), action },
    })
    const pipeline = (more: object, merge_request: object | null = null) => ({
      ...{ object_kind: "pipeline", merge_request },
      object_attributes: {
        id: 2,
        ref: "main",
        tag: false,
        status: "failed",
        source: "push",
        finished_at: now(),
        ...more,
      },
    })
    const ofRequest = { source: "merge_request_event" }
    const refused = [
      note("update"),
      pipeline({ ref: "v1.0", tag: true }),
      pipeline(ofRequest, { source_project_id: 9, target_project_id: 1 }),
      pipeline({ source: "external_pull_request_event" }),
    ]
    for (const payload of refused) expect((await fromGitlab(hook, payload)).body).toEqual(NOTHING)
    const allowed = [
      note("create"),
      pipeline({ ref: "feature", ...ofRequest }, { source_project_id: 1, target_project_id: 1 }),
    ]
    for (const payload of allowed) expect((await fromGitlab(hook, payload)).body.run_id).toMatch(/^run_/)
  })
})

it("is listed without its secret, which stands nowhere, and takes nothing once it is deleted", async () => {
  const hook = await hookFor("github", [{ on: "comment" }])
  const listed = await server.call("GET", "/api/v1/git-hooks")
  expect(listed.body.git_hooks.map(({ id }: Hook) => id)).toContain(hook.id)
  expect(listed.text).not.toContain(hook.secret)
  const record = await server.stores.records.get({ partition: `git-hook/${hook.id}`, sort: "hook" }, { signal })
  expect(JSON.stringify(record?.value)).not.toContain(hook.secret)
  expect(Buffer.from(record?.bytes ?? []).includes(hook.secret)).toBe(false)
  await server.call("DELETE", `/api/v1/git-hooks/${hook.id}`)
  expect((await fromGithub(hook, "issue_comment", commented("@switchyard x", "OWNER"))).status).toBe(401)
})
